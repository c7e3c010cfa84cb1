// Renders the page's diagrams with the copy of Mermaid next to this script. Mermaid is loaded only on pages
// with a diagram. The diagrams are rendered again when the reader changes the color scheme.
const diagrams = [...document.querySelectorAll("pre.diagram")].map((element) => {
  const figure = document.createElement("div");
  figure.className = "diagram-figure";
  element.replaceWith(figure);
  return { figure, source: element.textContent };
});

async function render() {
  const { mermaid } = await import("./mermaid/mermaid.js");
  const dark = document.body.dataset.mdColorScheme === "slate";
  // Small gaps keep the text readable in the width of a page.
  const flowchart = { nodeSpacing: 16, rankSpacing: 32, padding: 8 };
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "neutral", flowchart });
  for (const [index, { figure, source }] of diagrams.entries()) {
    const { svg } = await mermaid.render(`diagram-${index}`, source);
    figure.innerHTML = svg;
    // On a phone, a diagram shrinks to three quarters, and a diagram that is still too wide scrolls.
    const image = figure.querySelector("svg");
    image.style.minWidth = `${Math.min(0.74 * image.viewBox.baseVal.width, 688)}px`;
  }
}

if (diagrams.length) {
  await render();
  new MutationObserver(render).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
}
