// The widget of a notebook: the same figures below a shadow root, so that neither style reaches the other's elements.
function isDark(element) {
  for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(each).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5 && blue !== undefined) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

async function render({ model, el }) {
  const fonts = document.createElement("style"); // Fonts are known to a document and not to a shadow root.
  document.head.append(fonts);
  const root = el.attachShadow({ mode: "open" });
  root.innerHTML = `<style>${model.get("sheet")}</style><div class="widget"><figure></figure><div id="tip" role="status"></div></div>`;
  root.lastElementChild.classList.toggle("is-dark", isDark(el));
  const figures = new Figures(root.querySelectorAll("figure"), root.getElementById("tip"), (found) => {
    model.set(found);
    model.save_changes();
  });
  const show = async () => {
    fonts.textContent = model.get("fonts");
    root.querySelector("figure").setAttribute("aria-label", model.get("name"));
    await figures.show(model.get("figures"));
  };
  const select = () => figures.select(model.get("selected") && { tap: model.get("tap"), selected: model.get("selected") });
  root.querySelector("figure").setAttribute("role", "img");
  await show();
  select();
  model.on("change:figures", show);
  model.on("change:selected", select);
  return () => {
    model.off("change:figures", show);
    model.off("change:selected", select);
    fonts.remove();
  };
}

export default { render };
