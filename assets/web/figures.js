"use strict";
// Figures that answer the mouse: maps [row, column] whose cells say their values, and whose tokens stand out in all other maps.

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

function frame(svg, name, x, y, wide, high) {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [key, value] of Object.entries({ class: name, x, y, width: wide, height: high })) mark.setAttribute(key, value);
  svg.append(mark);
}

// The figures in some frames. `tip` shows what is pointed at; `chosen` is told each cell or head that is clicked, as
// { tap, selected: [side, layer, head, row, column] }.
class Figures {
  constructor(frames, tip, chosen = null) {
    Object.assign(this, { frames, tip, chosen, figures: [], shown: "", selection: null });
  }

  // Show packed figures: of each its SVG, its places, and what stands out for a token, by "source:3"; under "" what does otherwise.
  async show(packed) {
    this.figures = (await unpacked(packed)).map(({ svg, places, overs }, number) => {
      this.frames[number].innerHTML = svg;
      return {
        svg: this.frames[number].firstElementChild,
        places: places.map((place) => ({ ...place, values: numbers(place.values) })),
        overs,
      };
    });
    for (const each of this.figures) {
      each.svg.addEventListener("pointermove", (event) => this.pointed(each, event));
      each.svg.addEventListener("pointerdown", (event) => this.pointed(each, event));
      each.svg.addEventListener("pointerleave", () => this.hide());
      if (this.chosen) each.svg.addEventListener("click", (event) => this.clicked(each, event));
    }
    this.shown = "";
    this.select(this.selection);
  }

  // Frame the row of one token and the column of another in every map, and let the first of these lanes that there is stand out.
  highlight(rowToken, columnToken, lanes) {
    const key = [rowToken, columnToken, ...lanes].join(" ");
    if (key === this.shown) return;
    this.shown = key;
    for (const { svg, places, overs } of this.figures) {
      for (const mark of svg.querySelectorAll(".mark")) mark.remove();
      for (const { x, y, w, h, rows, columns } of places) {
        const row = placeOf(rows, rowToken);
        const column = placeOf(columns, columnToken);
        if (row >= 0) frame(svg, "mark", x, y + row * h, w * columns.n, h);
        if (column >= 0) frame(svg, "mark", x + column * w, y, w, h * rows.n);
      }
      const over = svg.querySelector(".over");
      const chosen = lanes.find((name) => name in overs) ?? "";
      if (over && chosen in overs && over.dataset.token !== chosen) {
        over.dataset.token = chosen;
        over.innerHTML = overs[chosen];
      }
    }
  }

  // Frame the cell that is selected, in every map of its tap and head; null: none.
  select(selection) {
    this.selection = selection;
    for (const { svg, places } of this.figures) {
      for (const mark of svg.querySelectorAll(".selected")) mark.remove();
      for (const { x, y, w, h, tap, of } of selection ? places : []) {
        const [side, layer, head, row, column] = selection.selected;
        if (tap !== selection.tap || row === null || of.join() !== [side, layer, head].join()) continue;
        frame(svg, "selected", x + column * w, y + row * h, w, h);
      }
    }
  }

  clicked(each, event) {
    const found = cellAt(each.places, within(each.svg, event));
    const head = found ? null : event.target.closest?.(".hit")?.dataset.head;
    if (found) this.chosen({ tap: found.place.tap, selected: [...found.place.of, found.row, found.column] });
    else if (head) this.chosen(JSON.parse(head));
  }

  say(event, bold, text, small) {
    const { tip } = this;
    tip.replaceChildren();
    for (const [kind, content] of [["b", bold], ["span", text], ["small", small]]) {
      if (!content) continue;
      const part = document.createElement(kind);
      part.textContent = kind === "span" && bold ? `  ${content}` : content;
      tip.append(part);
    }
    const box = tip.getBoundingClientRect();
    const around = tip.offsetParent.getBoundingClientRect();
    const left = Math.max(Math.min(event.clientX + 14, innerWidth - box.width - 8), 8);
    const below = event.clientY + 18;
    tip.style.left = `${left - around.left}px`;
    tip.style.top = `${(below + box.height > innerHeight ? event.clientY - box.height - 10 : below) - around.top}px`;
    tip.style.visibility = "visible";
  }

  hide() {
    this.tip.style.visibility = "hidden";
    this.highlight("", "", []);
  }

  pointed(each, event) {
    const found = cellAt(each.places, within(each.svg, event));
    if (found) {
      const { place, row, column } = found;
      const value = place.values[row * place.columns.n + column];
      const closed = Number.isNaN(value) && place.reason;
      // A row that is named after the word about to be written belongs to the lane of the token before it.
      const lanes = [token(place.rows, row - place.rows.shift), token(place.columns, column - place.columns.shift)];
      this.highlight(token(place.rows, row), token(place.columns, column), lanes);
      const where = `${label(place.rows, row)} → ${label(place.columns, column)}`;
      const about = [where, place.title, place.tap].filter(Boolean).join("\n");
      this.say(event, closed ? "" : figure(value), closed ? place.reason : "", about);
      return;
    }
    const hit = event.target.closest?.(".hit");
    if (!hit) return this.hide();
    const named = hit.dataset.token ?? "";
    this.highlight(named, named, [named]);
    if (hit.dataset.say) this.say(event, "", hit.dataset.say, "");
    else this.tip.style.visibility = "hidden";
  }
}
