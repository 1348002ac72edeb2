"use strict";
(async () => {
  // A packed part of the page: JSON in zlib's form, in base64.
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  };
  let data;
  try {
    data = await unpack("index");
  } catch {
    document.getElementById("packed").hidden = false;
    return;
  }

  const board = document.getElementById("board");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const nothing = document.getElementById("nothing");
  const chosen = document.getElementById("engine");
  const filters = [...document.querySelectorAll("[data-filter]")];
  const rows = [...board.querySelectorAll("tr[data-op]")];
  const PAGE = 40;
  const state = { filter: "all", words: [], engine: null };
  let open = null;

  // Whatever comes from the data becomes text, never markup.
  const element = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined) node.setAttribute(key, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  const drawing = (name, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  // Column heads stay below the tools, however many lines those take.
  const tools = document.querySelector(".tools");
  new ResizeObserver(() => board.style.setProperty("--tools", `${tools.offsetHeight}px`)).observe(tools);

  const thousands = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (number, word) => `${thousands(number)} ${word}${number === 1 ? "" : "s"}`;

  const casesOf = data.ops.map(() => []);
  for (const item of data.cases) item.place = casesOf[item.o].push(item) - 1;
  const packed = new Map();
  const bodyOf = async (item) => {
    if (!packed.has(item.o)) packed.set(item.o, unpack(`op-${item.o}`));
    return (await packed.get(item.o))[item.place];
  };
  const verdict = (item, engine) => {
    const answer = item.r[engine];
    return answer === null ? null : answer === 1 ? "parity" : answer.v;
  };
  const rank = { new: 0, known: 1, unsupported: 2, parity: 3 };

  const haystack = (item) => {
    if (item.text === undefined) {
      const said = item.r.flatMap((answer) =>
        answer === null || answer === 1 ? [] : [answer.c, answer.m, answer.k].map((number) => data.texts[number] ?? ""));
      item.text = [item.i, item.n ?? "", ...said].join("\n").toLowerCase();
    }
    return item.text;
  };
  const says = (item) => state.words.length === 0 || state.words.every((wanted) => haystack(item).includes(wanted));
  const shows = (item, engine) => {
    const word = verdict(item, engine);
    return word !== null && (state.filter === "all" || word === state.filter)
      && (state.engine === null || state.engine === engine);
  };

  const apply = () => {
    let shown = 0;
    let cases = 0;
    for (const node of board.querySelectorAll("[data-engine]")) {
      node.hidden = state.engine !== null && Number(node.dataset.engine) !== state.engine;
    }
    for (const row of rows) {
      const counts = data.engines.map(() => 0);
      let any = 0;
      for (const item of casesOf[Number(row.dataset.op)]) {
        if (!says(item)) continue;
        let here = false;
        item.r.forEach((_, engine) => {
          if (!shows(item, engine)) return;
          counts[engine] += 1;
          here = true;
        });
        if (here) any += 1;
      }
      for (const cell of row.querySelectorAll("td.on")) {
        cell.firstElementChild?.classList.toggle("dim", counts[Number(cell.dataset.engine)] === 0);
      }
      row.hidden = any === 0;
      if (any > 0) shown += 1;
      cases += any;
    }
    if (open) {
      const { button, op, engine } = open;
      if (button.closest("tr").hidden || button.closest("td").hidden) close(false);
      else open.list.replaceWith(open.list = caseList(op, engine));
    }
    board.hidden = shown === 0;
    nothing.hidden = shown > 0;
    found.textContent = `${plural(shown, "op")}, ${plural(cases, "case")}`;
  };

  const histogram = (bars) => {
    const total = bars.reduce((sum, [, count]) => sum + count, 0);
    if (total === 0) return element("p", { class: "quiet said" }, "No floating elements to compare.");
    if (bars.length === 1 && bars[0][0] === "0") {
      return element("p", { class: "quiet said" },
        `All ${plural(total, "floating element")} identical to PyTorch’s, to the bit.`);
    }
    const step = 52;
    const height = 92;
    const width = Math.max(bars.length * step + 8, 320);
    const svg = drawing("svg", { class: "histogram", viewBox: `0 0 ${width} ${height + 44}`, role: "img" });
    // The picture is no wider than its bars need, so that its letters keep their size.
    svg.style.maxWidth = `${width}px`;
    svg.append(drawing("title", {}, bars.map(([label, count]) => `${label} ulp: ${thousands(count)}`).join("; ")));
    const tallest = Math.log1p(Math.max(...bars.map(([, count]) => count)));
    bars.forEach(([label, count, kind], i) => {
      const tall = Math.max(2, (Math.log1p(count) / tallest) * (height - 4));
      const x = i * step + 6;
      svg.append(
        drawing("rect", { class: kind, x, y: height + 16 - tall, width: step - 12, height: tall, rx: 2 }),
        drawing("text", { x: x + (step - 12) / 2, y: height + 10 - tall, "text-anchor": "middle" }, thousands(count)),
        drawing("text", { x: x + (step - 12) / 2, y: height + 34, "text-anchor": "middle" }, label));
    });
    svg.append(drawing("line", { x1: 0, x2: width, y1: height + 16.5, y2: height + 16.5 }));
    return element("figure", {}, element("figcaption", {}, "Floating elements by distance from PyTorch in ULP (heights are logarithmic)"), svg);
  };

  const index = (position, shape) => {
    if (shape.length === 0) return "[]";
    const places = [];
    for (const size of [...shape].reverse()) {
      places.unshift(position % size);
      position = Math.floor(position / size);
    }
    return `[${places.join(", ")}]`;
  };
  const total = (shape) => shape.reduce((product, size) => product * size, 1);
  const values = ([, , start, text]) => {
    const map = new Map();
    if (text !== "") text.split(" ").forEach((value, i) => map.set(start + i, value));
    return map;
  };

  const valueTable = (label, columns) => {
    const first = columns[0][1];
    const parts = columns.map(([, excerpt]) => values(excerpt));
    const positions = [...new Set(parts.slice(0, 2).flatMap((part) => [...part.keys()]))].sort((a, b) => a - b);
    const kind = (excerpt) => `${excerpt[0]} [${excerpt[1].join(", ")}]`;
    const [own, other] = columns.filter(([name]) => name !== "float64 truth");
    const differing = other !== undefined && kind(other[1]) !== kind(own[1]);
    const kinds = differing ? `${kind(own[1])} in PyTorch, ${kind(other[1])} in ${other[0]}` : kind(own[1]);
    const heading = element("h4", {}, `${label}: ${kinds}`);
    if (positions.length === 0) {
      const why = total(first[1]) === 0 ? "No elements." : "Elements are left out of this page.";
      return [heading, element("p", { class: "quiet" }, why)];
    }
    const body = element("tbody");
    for (const position of positions) {
      const texts = parts.map((part) => part.get(position) ?? "…");
      const differs = other !== undefined && texts[0] !== texts[1] && !texts.slice(0, 2).includes("…");
      const cells = texts.map((text) => element("td", {}, text));
      body.append(element("tr", { class: differs ? "differs" : null }, element("td", {}, index(position, first[1])), ...cells));
    }
    const head = element("tr", {}, element("th", { scope: "col" }, "index"),
      ...columns.map(([name]) => element("th", { scope: "col" }, name)));
    const table = element("table", { class: "values" }, element("thead", {}, head), body);
    const left = total(first[1]) - positions.length;
    return [heading, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${label}, element by element` }, table),
      left > 0 ? element("p", { class: "quiet" }, `… and ${plural(left, "more element")}`) : null];
  };

  const outcomes = (item, more, engine) => {
    const name = data.engines[engine];
    const answer = item.r[engine];
    const theirs = more.p ?? {};
    const ours = more.g?.[engine] ?? (answer === 1 || answer.v === "parity" ? theirs : {});
    const parts = [];
    const gave = new Map(ours.o ?? []);
    const truths = new Map(more.t ?? []);
    for (const [label, excerpt] of theirs.o ?? []) {
      const columns = [["PyTorch", excerpt]];
      if (gave.has(label)) columns.push([name, gave.get(label)]);
      if (truths.has(label)) columns.push(["float64 truth", truths.get(label)]);
      parts.push(...valueTable(label, columns));
      gave.delete(label);
    }
    for (const [label, excerpt] of gave) parts.push(...valueTable(`${label}, of ${name} only`, [[name, excerpt]]));
    const lines = [];
    for (const [who, outcome] of [["PyTorch", theirs], [name, ours]]) {
      if (outcome.x) lines.push([who, `raises ${outcome.x}`]);
      if (outcome.y) lines.push([who, `backward raises ${outcome.y}`]);
      for (const warning of outcome.w ?? []) lines.push([who, `warns: ${warning}`]);
    }
    if (lines.length > 0) {
      parts.push(element("h4", {}, "errors and warnings"),
        ...lines.map(([who, text]) => element("p", { class: "outcome" }, element("b", {}, who), text)));
    }
    return parts;
  };

  const caseBody = (item, more, engine) => {
    const answer = item.r[engine];
    const body = element("div", { class: "case" });
    if (answer !== 1 && answer.m !== undefined) body.append(element("p", { class: `said ${answer.v}` }, data.texts[answer.m]));
    if (answer !== 1 && answer.k !== undefined) body.append(element("p", { class: "said known" }, `Known: ${data.texts[answer.k]}`));
    if (item.n) body.append(element("p", { class: "quiet said" }, item.n));
    if (answer !== 1 && answer.u) {
      body.append(element("p", { class: "quiet said" }, `Largest difference ${answer.u[0]}, ${answer.u[1]} ulp.`));
    }
    if (more.d?.[engine]) body.append(element("p", { class: "quiet said" }, `Against the float64 truth: ${more.d[engine]}.`));
    if (more.a) {
      const list = element("dl", { class: "args" });
      for (const [name, text] of more.a) list.append(element("dt", {}, name), element("dd", {}, text));
      body.append(element("h4", {}, `${data.ops[item.o].n} is called with`), list);
    }
    if (more.p || more.g) body.append(...outcomes(item, more, engine).filter((part) => part !== null));
    else body.append(element("p", { class: "quiet said" }, "Inputs and outcomes are not in this page; the command below shows them."));
    body.append(element("h4", {}, "again"),
      element("code", {}, `compare explain ${item.i} --engine ${data.arguments[engine]}`));
    return body;
  };

  // The first opening of a case makes what it shows.
  const fill = async (details, item, engine) => {
    if (details.dataset.filled) return;
    details.dataset.filled = "yes";
    details.append(caseBody(item, await bodyOf(item), engine));
  };

  const caseEntry = (item, engine) => {
    const word = verdict(item, engine);
    const answer = item.r[engine];
    const chip = answer !== 1 && answer.c !== undefined && word !== "parity" ? data.texts[answer.c] : word;
    const details = element("details", { "data-id": item.i },
      element("summary", {}, element("span", { class: "mono" }, item.i), element("span", { class: `chip ${word}` }, chip)));
    details.addEventListener("toggle", () => {
      if (details.open) fill(details, item, engine);
      if (details.open) history.replaceState(null, "", `#${encodeURI(item.i)}`);
    });
    return element("li", {}, details);
  };

  const caseList = (op, engine) => {
    const items = casesOf[op].filter((item) => shows(item, engine) && says(item));
    items.sort((a, b) => rank[verdict(a, engine)] - rank[verdict(b, engine)]);
    const list = element("ul", { class: "cases" });
    const box = element("div", {}, list);
    if (items.length === 0) {
      list.remove();
      box.append(element("p", { class: "empty" }, "None of its cases matches the filter."));
    }
    let next = 0;
    const button = element("button", { type: "button", class: "more-cases" });
    const more = () => {
      const until = Math.min(next + PAGE, items.length);
      for (; next < until; next += 1) list.append(caseEntry(items[next], engine));
      button.textContent = `Show more (${thousands(items.length - next)} left)`;
      button.hidden = next >= items.length;
    };
    button.addEventListener("click", () => {
      const last = list.lastElementChild;
      more();
      last?.nextElementSibling?.querySelector("summary")?.focus();
    });
    more();
    box.append(button);
    return box;
  };

  const close = (focus) => {
    if (!open) return;
    open.button.setAttribute("aria-expanded", "false");
    open.button.removeAttribute("aria-controls");
    open.row.remove();
    if (focus) open.button.focus();
    open = null;
  };

  const show = (button) => {
    const row = button.closest("tr");
    const op = Number(row.dataset.op);
    const engine = Number(button.closest("td").dataset.engine);
    close(false);
    const numbers = data.ops[op].e[engine];
    const shut = element("button", { type: "button", class: "close" }, "Close");
    shut.addEventListener("click", () => close(true));
    const facts = element("dl", { class: "facts" });
    for (const [name, text] of [["cases", thousands(casesOf[op].filter((item) => item.r[engine] !== null).length)],
      ["max |diff|", numbers.a], ["max ulp", numbers.u], ["tolerance", numbers.t]]) {
      facts.append(element("div", {}, element("dt", {}, name), element("dd", {}, text)));
    }
    if (numbers.d) {
      const near = numbers.d.map(([word, count]) => `${thousands(count)} ${word}`).join(", ");
      facts.append(element("div", {}, element("dt", {}, "against the truth"), element("dd", {}, near)));
    }
    const list = caseList(op, engine);
    const heading = element("h3", {}, data.ops[op].n, element("span", {}, ` on ${data.engines[engine]}`));
    const box = element("div", { class: "detail", id: "detail", role: "region", "aria-label": `${data.ops[op].n} on ${data.engines[engine]}` },
      element("div", { class: "detail-head" }, heading, shut), facts, histogram(numbers.h), list);
    const span = row.childElementCount;
    const detail = element("tr", { class: "detail-row", role: "row" }, element("td", { role: "cell", colspan: span }, box));
    row.after(detail);
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-controls", "detail");
    open = { button, row: detail, list, op, engine };
  };

  board.addEventListener("click", (event) => {
    const button = event.target.closest("button.cell");
    if (!button) return;
    if (open?.button === button) close(true);
    else show(button);
  });
  search.addEventListener("input", () => {
    state.words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    apply();
  });
  const choose = (filter) => {
    state.filter = filter;
    for (const button of filters) button.setAttribute("aria-pressed", String(button.dataset.filter === filter));
    apply();
  };
  for (const button of filters) button.addEventListener("click", () => choose(button.dataset.filter));
  chosen?.addEventListener("change", () => {
    state.engine = chosen.value === "" ? null : Number(chosen.value);
    apply();
  });
  const everything = () => {
    if (chosen) chosen.value = "";
    state.engine = null;
    search.value = "";
    state.words = [];
  };
  document.getElementById("clear").addEventListener("click", () => {
    everything();
    choose("all");
    search.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !["INPUT", "SELECT"].includes(document.activeElement.tagName)) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && document.activeElement !== search) close(true);
  });

  // The cases that a reason is given for, each a link that opens it.
  const LISTED = 200;
  for (const group of document.querySelectorAll("[data-entries]")) {
    group.addEventListener("toggle", () => {
      if (group.childElementCount > 1) return;
      const engine = Number(group.dataset.engine);
      const entries = new Set(group.dataset.entries.split(" ").map(Number));
      const known = (answer) => answer?.v === "known" && entries.has(answer.e ?? 0);
      const items = data.cases.filter((item) => known(item.r[engine]));
      const link = (item) => element("li", {}, element("a", { href: `#${encodeURI(item.i)}`, "data-on": engine }, item.i));
      const list = element("ul", { class: "ids" }, ...items.slice(0, LISTED).map(link));
      if (items.length > LISTED) list.append(element("li", { class: "quiet" }, `and ${thousands(items.length - LISTED)} more`));
      group.append(list);
    });
  }

  // Opens a case, on the engine that is asked for or else on the one on which it came out worst.
  const visit = (id, wanted) => {
    const item = data.cases.find((each) => each.i === id);
    if (!item) return;
    const engine = wanted ?? item.r.map((_, i) => i).filter((i) => item.r[i] !== null)
      .sort((a, b) => rank[verdict(item, a)] - rank[verdict(item, b)])[0];
    const button = rows[item.o]?.querySelector(`td[data-engine="${engine}"] button`);
    if (!button) return;
    everything();
    search.value = item.i;
    state.words = [item.i.toLowerCase()];
    choose("all");
    show(button);
    const details = [...open.list.querySelectorAll("details")].find((each) => each.dataset.id === item.i);
    if (!details) return;
    details.open = true;
    details.scrollIntoView({ block: "center" });
    details.querySelector("summary").focus({ preventScroll: true });
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-on]");
    if (!link) return;
    event.preventDefault();
    visit(link.textContent, Number(link.dataset.on));
  });

  for (const control of document.querySelectorAll(":disabled")) control.disabled = false;
  apply();

  // A link to a case opens it.
  try {
    const id = decodeURI(location.hash.slice(1));
    if (id !== "") visit(id);
  } catch {
    // Not a case's id.
  }
})();
