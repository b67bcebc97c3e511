"use strict";
// Each figure has places: maps [row, column] whose cells say their values, and whose tokens stand out in all other maps.
const tip = document.getElementById("tip");
let figures = [];  // of each its SVG, its places, and what stands out for a token, by "source:3"; under "" what does otherwise
let shown = "";
const MOST_HIGH_PX = 880;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function numbers(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, place) => view.getFloat32(4 * place, true));
}

// Four significant figures, as in the window.
function figure(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const [mantissa, power] = value.toExponential(3).split("e");
  const scientific = (digits) => `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  const usual = () => (Number(power) < 4 ? String(Number(value.toPrecision(4))) : scientific(Number(mantissa)));
  const text = size >= 1e-4 && size < 1e5 ? usual() : scientific(mantissa);
  return text.replaceAll("-", "−");
}

function label(axis, index) {
  return axis.labels.length ? `${axis.labels[index]} (${index + axis.shift})` : String(index);
}

function token(axis, index) {
  return axis.side ? `${axis.side}:${index + axis.shift}` : "";
}

// Where a token lies on an axis; -1 where it does not.
function placeOf(axis, name) {
  for (let index = 0; name && index < axis.n; index++) if (token(axis, index) === name) return index;
  return -1;
}

// The point of an event in the units of a figure.
function within(svg, event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
}

function cellAt(places, point) {
  for (const place of places) {
    const column = Math.floor((point.x - place.x) / place.w);
    const row = Math.floor((point.y - place.y) / place.h);
    if (row >= 0 && row < place.rows.n && column >= 0 && column < place.columns.n) return { place, row, column };
  }
  return null;
}

function frame(svg, x, y, wide, high) {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ class: "mark", x, y, width: wide, height: high })) mark.setAttribute(name, value);
  svg.append(mark);
}

// Frame the row of one token and the column of another in every map, and let the first of these lanes that there is stand out.
function highlight(rowToken, columnToken, lanes) {
  const key = [rowToken, columnToken, ...lanes].join(" ");
  if (key === shown) return;
  shown = key;
  for (const mark of document.querySelectorAll(".mark")) mark.remove();
  for (const { svg, places, overs } of figures) {
    for (const { x, y, w, h, rows, columns } of places) {
      const row = placeOf(rows, rowToken);
      const column = placeOf(columns, columnToken);
      if (row >= 0) frame(svg, x, y + row * h, w * columns.n, h);
      if (column >= 0) frame(svg, x + column * w, y, w, h * rows.n);
    }
    const over = svg.querySelector(".over");
    const chosen = lanes.find((name) => name in overs) ?? "";
    if (over && chosen in overs && over.dataset.token !== chosen) {
      over.dataset.token = chosen;
      over.innerHTML = overs[chosen];
    }
  }
}

function say(event, bold, text, small) {
  tip.replaceChildren();
  for (const [kind, content] of [["b", bold], ["span", text], ["small", small]]) {
    if (!content) continue;
    const part = document.createElement(kind);
    part.textContent = kind === "span" && bold ? `  ${content}` : content;
    tip.append(part);
  }
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const below = event.clientY + 18;
  tip.style.left = `${Math.max(left, 8)}px`;
  tip.style.top = `${below + box.height > innerHeight ? event.clientY - box.height - 10 : below}px`;
  tip.style.visibility = "visible";
}

function hide() {
  tip.style.visibility = "hidden";
  highlight("", "", []);
}

function pointed(each, event) {
  const found = cellAt(each.places, within(each.svg, event));
  if (found) {
    const { place, row, column } = found;
    const value = place.values[row * place.columns.n + column];
    const closed = Number.isNaN(value) && place.reason;
    // A row that is named after the word about to be written belongs to the lane of the token before it.
    const lanes = [token(place.rows, row - place.rows.shift), token(place.columns, column - place.columns.shift)];
    highlight(token(place.rows, row), token(place.columns, column), lanes);
    const where = `${label(place.rows, row)} → ${label(place.columns, column)}`;
    say(event, closed ? "" : figure(value), closed ? place.reason : "", [where, place.title, place.tap].filter(Boolean).join("\n"));
    return;
  }
  const hit = event.target.closest?.(".hit");
  if (!hit) return hide();
  const named = hit.dataset.token ?? "";
  highlight(named, named, [named]);
  if (hit.dataset.say) say(event, "", hit.dataset.say, "");
  else tip.style.visibility = "hidden";
}

async function open() {
  const frames = document.querySelectorAll("figure");
  figures = (await unpacked(document.getElementById("packed").textContent)).map(({ svg, places, overs }, number) => {
    frames[number].innerHTML = svg;
    return {
      svg: frames[number].firstElementChild,
      places: places.map((place) => ({ ...place, values: numbers(place.values) })),
      overs,
    };
  });
  for (const each of figures) {
    each.svg.addEventListener("pointermove", (event) => pointed(each, event));
    each.svg.addEventListener("pointerdown", (event) => pointed(each, event));
    each.svg.addEventListener("pointerleave", hide);
  }
  // A notebook shows the page in a frame, which need not be higher than the page.
  const high = document.body.getBoundingClientRect().height;
  if (window.frameElement) frameElement.style.height = `${Math.min(Math.ceil(high), MOST_HIGH_PX)}px`;
}

open().catch(() => { document.getElementById("needs").hidden = false; });
