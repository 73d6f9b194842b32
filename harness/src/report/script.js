// Shows the values of curves next to the pointer, copies blocks, and replaces parts of a live page.
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const waiting = {};

  const numbers = (line, key) => (line.dataset[key] || "").split(" ").filter(Boolean).map(Number);
  const nearest = (list, value) =>
    list.reduce((best, x, i) => (Math.abs(x - value) < Math.abs(list[best] - value) ? i : best), 0);

  function hide() {
    tip.hidden = true;
    document.querySelectorAll(".cursor.on").forEach(line => line.classList.remove("on"));
    Object.keys(waiting).forEach(id => put(id, waiting[id]));
  }

  function show(event) {
    const plot = event.target.closest && event.target.closest("svg.plot");
    const lines = plot ? [...plot.querySelectorAll("polyline[data-x]")].filter(line => line.dataset.x) : [];
    if (!lines.length) return hide();
    const box = plot.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * 1000;
    const places = lines[0].getAttribute("points").split(" ").map(point => parseFloat(point));
    const first = nearest(places, at);
    const x = numbers(lines[0], "x")[first];
    const rows = lines.map(line => {
      const i = nearest(numbers(line, "x"), x);
      const [low, high] = ["low", "high"].map(key => numbers(line, key)[i]);
      const range = low === undefined ? "" : ` (${low} to ${high})`;
      return `${line.dataset.name ? line.dataset.name + ": " : ""}${numbers(line, "y")[i]}${range}`;
    });
    const cursor = plot.querySelector(".cursor");
    ["x1", "x2"].forEach(end => cursor.setAttribute(end, places[first] / 10 + "%"));
    document.querySelectorAll(".cursor.on").forEach(line => line.classList.remove("on"));
    cursor.classList.add("on");
    tip.textContent = [`${plot.dataset.xTitle}: ${x}`, ...rows].join("\n");
    tip.hidden = false;
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + "px";
  }
  addEventListener("pointermove", show);
  addEventListener("pointerdown", show);
  addEventListener("scroll", hide, { passive: true });

  // The clipboard interface needs HTTPS or a local page; the older command also works with a server in the local network.
  function copied(pre) {
    const selection = getSelection();
    selection.selectAllChildren(pre);
    const done = document.execCommand("copy");
    if (done) selection.removeAllRanges();
    return done;
  }
  addEventListener("click", async event => {
    const button = event.target.closest && event.target.closest("button[data-copy]");
    if (!button) return;
    const pre = button.closest(".copy").querySelector("pre");
    const write = navigator.clipboard && navigator.clipboard.writeText(pre.textContent);
    const done = await (write ? write.then(() => true, () => copied(pre)) : copied(pre));
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });

  function put(id, content) {
    const place = document.getElementById(id);
    // A page must not move under the pointer.
    if (id === "body" && !tip.hidden) return void (waiting[id] = content);
    delete waiting[id];
    const open = [...place.querySelectorAll("details[open] > summary")].map(summary => summary.textContent);
    const scrolled = [...place.querySelectorAll("[data-scroll]")].map(part => [part.dataset.scroll, part.scrollTop, part.scrollLeft]);
    const focused = place.contains(document.activeElement) && document.activeElement.getAttribute("href");
    place.innerHTML = content;
    place.querySelectorAll("details > summary").forEach(summary => {
      summary.parentElement.open = open.includes(summary.textContent);
    });
    scrolled.forEach(([name, top, left]) => {
      const part = place.querySelector(`[data-scroll="${name}"]`);
      if (part) part.scrollTo(left, top);
    });
    if (focused) place.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  const events = document.body.dataset.events;
  if (!events) return;
  const source = new EventSource(events);
  ["lead", "status", "plot", "games", "body"].forEach(id => source.addEventListener(id, event => put(id, event.data)));
  source.addEventListener("title", event => (document.title = event.data));
  source.onopen = () => document.body.classList.remove("lost");
  source.onerror = () => document.body.classList.add("lost");
})();
