// The page: the figures of its one document.
const MOST_HIGH_PX = 880;
const page = new Figures(document.querySelectorAll("figure"), document.getElementById("tip"));

async function open() {
  await page.show(document.getElementById("packed").textContent);
  // A notebook shows the page in a frame, which need not be higher than the page.
  const high = document.body.getBoundingClientRect().height;
  if (window.frameElement) frameElement.style.height = `${Math.min(Math.ceil(high), MOST_HIGH_PX)}px`;
}

open().catch(() => { document.getElementById("needs").hidden = false; });
