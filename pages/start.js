// Reads the document and draws its page.

function start() {
  DATA = JSON.parse(document.getElementById("data").textContent);
  (DATA.kind === "suite_page" ? suitePage : runPage)();
  drawCharts();
  let waiting = null;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawCharts, 150);
  });
  addEventListener("beforeprint", drawCharts);
  document.documentElement.setAttribute("data-drawn", String(Math.round(performance.now())));
}

addEventListener("DOMContentLoaded", start);
