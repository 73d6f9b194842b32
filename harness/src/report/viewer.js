// Opens the games of the table on a board. The address #game-7-31 is game 7 after 31 plies.
(() => {
  const events = document.body.dataset.events;
  const data = document.getElementById("games-data");
  // The name space of SVG, from the shapes of the pieces: a report names no address.
  const drawings = document.querySelector("svg.pieces").namespaceURI;
  const embedded = data ? JSON.parse(data.textContent) : [];

  function make(name, attributes = {}, ...children) {
    const isDrawing = /^(svg|rect|path|use|polyline|line)$/.test(name);
    const node = isDrawing ? document.createElementNS(drawings, name) : document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
    node.append(...children);
    return node;
  }
  const button = (label, title, act) => {
    const node = make("button", { type: "button", title, "aria-label": title }, label);
    node.addEventListener("click", act);
    return node;
  };

  const title = make("h2", { id: "viewer-title" });
  const about = make("p", { class: "small" });
  const sides = ["side", "side"].map(name => make("div", { class: name }, make("b"), make("span", { class: "clock" }), make("span", { class: "search" })));
  const place = make("div", { class: "place" });
  const curves = make("div", { class: "evaluation" });
  const moves = make("div", { class: "movelist", role: "list", "aria-label": "Moves" });
  const said = make("p", { class: "spoken", role: "status" });
  const keys = make("p", { class: "small keys" }, "← → one move, Home and End, ↑ ↓ another game of the table, F turns the board, Esc closes");
  const steps = make("div", { class: "steps" },
    button("«", "First position", () => go(0)), button("‹", "One move back", () => go(ply - 1)),
    button("›", "One move on", () => go(ply + 1)), button("»", "Last position", () => go(game.uci.length)),
    button("⇅", "Turn the board", turn));
  const dialog = make("dialog", { class: "viewer", "aria-labelledby": "viewer-title" },
    make("div", { class: "top" }, title, button("✕", "Close", () => dialog.close())),
    about,
    make("div", { class: "parts" },
      make("div", { class: "play" }, sides[1], place, sides[0], steps),
      make("div", { class: "more" }, curves, moves)),
    keys, said);
  document.body.append(dialog);

  let game = null;
  let ply = 0;
  let isTurned = false;
  let opener = null;

  const list = text => (text ? text.split(" ") : []);
  const square = text => text.charCodeAt(0) - 97 + 8 * (8 - Number(text[1]));
  const isWhite = piece => piece === piece.toUpperCase();

  // Returns the pieces by square, from a8 to h1.
  function placement(fen) {
    const found = [];
    for (const letter of fen.split(" ")[0].replaceAll("/", "")) {
      if (letter >= "1" && letter <= "8") found.push(...Array(Number(letter)).fill(null));
      else found.push(letter);
    }
    return found;
  }

  // Plays a legal move in UCI notation; castling in Chess960 is the king taking its rook.
  function play(board, text) {
    const next = board.slice();
    const [from, to] = [square(text), square(text.slice(2))];
    const piece = board[from];
    if (!piece) return next;
    next[from] = null;
    const isKing = piece.toLowerCase() === "k";
    const rook = isWhite(piece) ? "R" : "r";
    if (isKing && (board[to] === rook || Math.abs(to - from) === 2)) {
      const row = from - (from % 8);
      const isShort = to > from;
      const corner = board[to] === rook ? to : row + (isShort ? 7 : 0);
      next[corner] = null;
      next[row + (isShort ? 6 : 2)] = piece;
      next[row + (isShort ? 5 : 3)] = rook;
      return next;
    }
    if (piece.toLowerCase() === "p" && from % 8 !== to % 8 && !board[to]) next[from - (from % 8) + (to % 8)] = null;
    const promoted = text[4];
    next[to] = promoted ? (isWhite(piece) ? promoted.toUpperCase() : promoted) : piece;
    return next;
  }

  function unpack(record) {
    const uci = list(record.uci);
    const boards = [placement(record.fen)];
    uci.forEach(text => boards.push(play(boards[boards.length - 1], text)));
    const [, turn, , , , number] = record.fen.split(" ");
    return { ...record, uci, boards, san: list(record.san), scores: list(record.scores), depths: list(record.depths),
      times: list(record.times), clocks: list(record.clocks), first: turn === "b" ? 1 : 0, number0: Number(number) || 1 };
  }

  // Side that makes the move with this index: 0 is White.
  const side = index => (game.first + index) % 2;
  const numberOf = index => game.number0 + Math.floor((game.first + index) / 2);

  function clock(ms) {
    const left = Math.max(0, ms);
    const rest = Math.floor((left % 60000) / 1000);
    const minutes = Math.floor(left / 60000);
    return minutes > 0 ? `${minutes}:${String(rest).padStart(2, "0")}` : `0:${String(rest).padStart(2, "0")}.${Math.floor((left % 1000) / 100)}`;
  }
  const score = text => (text[0] === "#" ? "mate " + text.slice(1) : (text[0] === "-" ? "" : "+") + (Number(text) / 100).toFixed(2));

  function drawBoard() {
    const squares = Array.from({ length: 64 }, (_, index) => index);
    const at = index => (isTurned ? 63 - index : index);
    const xy = index => ({ x: (at(index) % 8) * 45, y: Math.floor(at(index) / 8) * 45, width: 45, height: 45 });
    const dark = squares.filter(index => ((index >> 3) + index) % 2 === 1).map(index => `M${(index % 8) * 45} ${(index >> 3) * 45}h45v45h-45z`);
    const moved = ply > 0 ? [game.uci[ply - 1].slice(0, 2), game.uci[ply - 1].slice(2, 4)] : [];
    const pieces = squares.filter(index => game.boards[ply][index]).map(index => {
      const piece = game.boards[ply][index];
      return make("use", { class: isWhite(piece) ? "white" : "black", href: "#piece-" + piece.toLowerCase(), ...xy(index) });
    });
    const name = `position after ${ply} plies`;
    place.replaceChildren(make("svg", { class: "board", viewBox: "0 0 360 360", role: "img", "aria-label": name },
      make("rect", { class: "light", width: 360, height: 360 }), make("path", { class: "dark", d: dark.join("") }),
      ...moved.map(text => make("rect", { class: "moved", ...xy(square(text)) })), ...pieces));
  }

  function drawSides() {
    [0, 1].forEach(color => {
      let last = ply - 1;
      while (last >= game.book && side(last) !== color) last -= 1;
      const index = last - game.book;
      const [name, time, search] = sides[color].children;
      name.textContent = game.players[color];
      const left = index >= 0 ? game.clocks[index] : game.start[color] === null ? "-" : game.start[color];
      time.textContent = left === "-" ? "" : clock(Number(left));
      const has = key => index >= 0 && game[key][index] !== "-";
      search.textContent = index < 0 ? "no move yet"
        : [has("scores") && score(game.scores[index]), has("depths") && "depth " + game.depths[index], (Number(game.times[index]) / 1000).toFixed(2) + " s"]
          .filter(Boolean).join(" · ");
      sides[color].classList.toggle("moves", ply < game.uci.length ? side(ply) === color : false);
    });
    const [white, black] = sides;
    const top = isTurned ? white : black;
    place.before(top);
    place.after(top === white ? black : white);
  }

  function drawCurves() {
    const width = Math.max(40, game.uci.length);
    const centipawns = text => (text[0] === "#" ? (Number(text.slice(1)) > 0 ? 10000 : -10000) : Number(text));
    const points = color => game.scores.map((text, index) => [index + game.book, text])
      .filter(([index, text]) => text !== "-" && side(index) === color)
      .map(([index, text]) => {
        const value = centipawns(text) * (color === 0 ? 1 : -1);
        return `${(((index + 1) / width) * 400).toFixed(1)},${(2 + 96 * (1 - 1 / (1 + Math.exp(-0.00368208 * value)))).toFixed(1)}`;
      }).join(" ");
    const at = (ply / width) * 400;
    const drawing = make("svg", { class: "scores stretched", viewBox: "0 0 400 100", preserveAspectRatio: "none", role: "img", "aria-label": "scores of both engines" },
      make("line", { class: "middle", x1: 0, y1: 50, x2: 400, y2: 50 }),
      make("polyline", { class: "curve", points: points(0), style: "stroke:var(--c0)" }),
      make("polyline", { class: "curve", points: points(1), style: "stroke:var(--c1)" }),
      make("line", { class: "now", x1: at, y1: 0, x2: at, y2: 100 }));
    drawing.addEventListener("click", event => {
      const box = drawing.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * width));
    });
    const legend = make("p", { class: "small legend" }, "score for White by ", make("i", { class: "c0" }, game.players[0]), ", ", make("i", { class: "c1" }, game.players[1]));
    curves.replaceChildren(legend, drawing);
  }

  function listMoves() {
    const items = game.uci.map((text, index) => {
      const isNumbered = side(index) === 0 || index === 0;
      const label = (isNumbered ? `${numberOf(index)}${side(index) === 0 ? "." : "..."} ` : "") + (game.san[index] || text);
      const node = make("span", { role: "listitem", class: index < game.book ? "book" : "" }, label);
      node.addEventListener("click", () => go(index + 1));
      return node;
    });
    moves.replaceChildren(...items, make("b", {}, `${game.result} ${game.ending}`));
  }

  function go(to) {
    ply = Math.min(Math.max(0, to), game.uci.length);
    drawBoard();
    drawSides();
    drawCurves();
    moves.querySelectorAll(".on").forEach(node => node.classList.remove("on"));
    const now = ply > 0 ? moves.children[ply - 1] : null;
    if (now) {
      now.classList.add("on");
      // Scrolls the list alone: the dialog stays where it is.
      moves.scrollTop = now.offsetTop - moves.clientHeight / 2;
    } else moves.scrollTop = 0;
    said.textContent = now ? now.textContent : "start position";
    address(`#game-${game.number}-${ply}`);
  }
  function turn() {
    isTurned = !isTurned;
    drawBoard();
    drawSides();
  }
  function address(hash) {
    try {
      history.replaceState(null, "", location.pathname + location.search + hash);
    } catch {
      // A page from a file may not change its address; it shows the game all the same.
    }
  }

  async function find(number) {
    const known = embedded.find(record => record.number === number);
    if (known || !events) return known;
    const answer = await fetch(events.replace(/events$/, `game/${number}`)).catch(() => null);
    return answer && answer.ok ? answer.json() : null;
  }

  async function open(number, at) {
    const record = await find(number);
    if (!record) return;
    game = unpack(record);
    title.textContent = `Game ${game.number}: ${game.result}`;
    about.textContent = [game.ending, game.opening].filter(Boolean).join(" · ");
    listMoves();
    if (!dialog.open) dialog.showModal();
    go(at === undefined ? game.uci.length : at);
  }

  function openHash() {
    const [, number, at] = location.hash.match(/^#game-(\d+)(?:-(\d+))?$/) || [];
    if (number) open(Number(number), at === undefined ? undefined : Number(at));
  }

  const links = () => [...document.querySelectorAll('.games a[href^="#game-"]')];
  const numberIn = link => Number(link.getAttribute("href").slice(6));

  document.addEventListener("click", event => {
    const row = event.target.closest && event.target.closest(".games tbody tr");
    const link = row && row.querySelector('a[href^="#game-"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    opener = link.getAttribute("href");
    open(numberIn(link));
  });

  dialog.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const neighbour = by => {
      const all = links().map(numberIn);
      const to = all[all.indexOf(game.number) + by];
      if (to !== undefined) open(to);
    };
    const acts = { ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), Home: () => go(0), End: () => go(game.uci.length),
      ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1), f: turn };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    address("");
    // The table may have been renewed meanwhile.
    const link = opener && document.querySelector(`.games a[href="${opener}"]`);
    if (link) link.focus();
  });
  addEventListener("hashchange", openHash);
  openHash();
})();
