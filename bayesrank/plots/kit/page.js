"use strict";
// What a page of bayesrank does: tables that sort, fold and filter; the Tile that answers; a solid to
// turn. It takes what is in the page, loads nothing, and may be there twice.
(() => {
  const all = (root, what) => [...root.querySelectorAll(what)];
  const held = (box) => JSON.parse(box.querySelector("script[type='application/json']").textContent);
  const make = (tag, text, style) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (style) Object.assign(made.style, style);
    return made;
  };

  // A table: headings sort, a box filters by name, and rows after the first few are folded away. What a row says stays.
  function table(box) {
    const body = box.querySelector("tbody"), more = box.querySelector("[data-more]"), search = box.querySelector("input");
    const said = box.querySelector("output"), keep = Number(box.dataset.keep) || Infinity;
    let folded = body.rows.length > keep;
    const names = new Map([...body.rows].map((row) => [row, row.cells[0].textContent.normalize("NFKC").toLowerCase()]));
    const show = () => {
      const wanted = search.value.normalize("NFKC").trim().toLowerCase();
      let seen = 0;
      [...body.rows].forEach((row, place) => {
        row.hidden = wanted ? !names.get(row).includes(wanted) : folded && place >= keep;
        seen += !row.hidden;
      });
      const size = body.rows.length.toLocaleString("en");
      said.textContent = wanted ? `${seen.toLocaleString("en")} of ${size}` : "";
      more.parentElement.hidden = !(body.rows.length > keep) || Boolean(wanted);
      more.textContent = folded ? `Show all ${size}` : `Show the first ${keep}`;
      more.setAttribute("aria-expanded", String(!folded));
    };
    const sort = (heading) => {
      const column = heading.cellIndex, up = heading.getAttribute("aria-sort") !== "ascending";
      const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
      all(box, "th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (p, q) => {
        const [x, y] = [key(p), key(q)];
        if (column === 0) return (up ? 1 : -1) * x.localeCompare(y, undefined, { numeric: true });
        // What is undefined comes last, whichever way.
        return isNaN(x) - isNaN(y) || (up ? x - y : y - x) || 0;
      };
      body.append(...[...body.rows].sort(order));
      show();
    };
    all(box, "th button").forEach((button) => button.addEventListener("click", () => sort(button.closest("th"))));
    search.addEventListener("input", show);
    more.addEventListener("click", () => { folded = !folded; show(); });
    search.closest("[hidden]").hidden = body.rows.length < 13;  // a few are found by eye
    show();
  }

  // So many times as much, in words.
  const times = (more, less) => {
    const ratio = more / less;
    return ratio > 100 ? "more than 100 times as much as" : `${Number(ratio.toPrecision(2))} times as much as`;
  };
  const weighed = (one, other, share) => {
    const [plural, rest] = [`${one}s`, `${other}s`];
    if (share === 0) return `${plural} do not count`;
    if (share === 1) return `${rest} do not count`;
    if (share === 0.5) return `a ${one} counts as much as a ${other}`;
    return share > 0.5
      ? `a ${one} counts ${times(share, 1 - share)} a ${other}`
      : `a ${other} counts ${times(1 - share, share)} a ${one}`;
  };

  // The score at a place: its name where it has one, else the line it is on, else nothing but its weights.
  function called(a, b, places, last) {
    const within = (gap) => places.filter((place) => Math.max(Math.abs(place.a - a), Math.abs(place.b - b)) <= gap);
    const [named, near] = [1e-9, 0.5 / last].map((gap) => within(gap).map((place) => place.name).join(", "));
    if (named || near) return named || `near ${near}`;
    if (a === 1) return `F-score with β = ${Number(Math.sqrt(b / (1 - b)).toPrecision(3))}`;
    if (a === 0) return `F-score of the negative class with β = ${Number(Math.sqrt((1 - b) / b).toPrecision(3))}`;
    return a === b ? "weighted accuracy" : "";
  }

  // The Tile: pointer, arrow keys and buttons choose a place, and it says what is known there.
  function tile(box) {
    const data = held(box), last = data.n - 1, board = box.querySelector(".board"), picture = board.querySelector("svg");
    const mark = picture.querySelector(".chosen"), answer = box.querySelector(".answer");
    // Isolated where written from right to left, so that numbers after a name stay after it.
    const named = (k) => /[\u0590-\u08ff]/.test(data.names[k]) ? `\u2068${data.names[k]}\u2069` : data.names[k];
    const probability = (p) => {
      const digits = data.digits, least = Math.max(10 ** -digits, 1 / data.size);
      if (p < least) return `<${least.toFixed(digits)}`;
      return p > 1 - least ? `>${(1 - least).toFixed(digits)}` : p.toFixed(digits);
    };
    let [i, j] = data.start;
    const choose = (column, row) => {
      [i, j] = [column, row].map((x) => Math.min(Math.max(x, 0), last));
      const [a, b] = [i / last, j / last], at = (j * data.n + i) * data.most;
      mark.setAttribute("transform", `translate(${i + 0.5} ${last - j + 0.5})`);
      const name = called(a, b, data.places, last), weights = [weighed("true positive", "true negative", a),
        weighed("false negative", "false positive", b)].join("; ");
      const who = [...Array(data.most).keys()].map((k) => [data.who[at + k], data.p[at + k] / 10 ** data.digits])
        .filter(([entity]) => entity >= 0);
      const first = who.length ? named(who[0][0]) : "";
      const best = !who.length ? "No entity has a score here." : data.shared[j * data.n + i] === "1"
        ? `Too close to separate: ${first} and others, P(best) ${probability(who[0][1])} each or nearly so.`
        : `Most probably best: ${first}, P(best) ${probability(who[0][1])}${who[0][1] < data.prob ? "; undecided" : ""}.`;
      const list = make("ol");
      who.forEach(([entity, p]) => {
        const line = make("li", `${named(entity)}: ${probability(p)}`), swatch = make("i");
        swatch.className = "swatch";
        swatch.style.background = data.colors[entity];
        line.prepend(swatch);
        list.append(line);
      });
      const where = `a = ${Number(a.toFixed(3))}, b = ${Number(b.toFixed(3))}`;
      answer.replaceChildren(make("h3", name || where), make("p", `${weights[0].toUpperCase()}${weights.slice(1)}.`),
        make("p", best), list, make("p", name ? where : ""));
    };
    const point = (event) => {
      const area = picture.getBoundingClientRect(), cell = area.width / data.n;
      choose(Math.floor((event.clientX - area.left) / cell), last - Math.floor((event.clientY - area.top) / cell));
    };
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
    board.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (event.key === "Home") choose(...data.start);
      else if (step) choose(...step.map((x, k) => [i, j][k] + x * (event.shiftKey ? last / 10 : 1)));
      else return;
      event.preventDefault();
    });
    picture.addEventListener("pointerdown", (event) => { board.focus({ preventScroll: true }); point(event); });
    picture.addEventListener("pointermove", (event) => { if (event.buttons & 1) point(event); });
    all(box, "button[data-place]").forEach((button) => {
      button.disabled = false;
      button.addEventListener("click", () => choose(...button.dataset.place.split(" ").map(Number)));
    });
    board.tabIndex = 0;
    board.setAttribute("role", "application");
    all(box, "[hidden]").forEach((part) => part.removeAttribute("hidden"));  // of SVG, too
    choose(i, j);
  }

  // A simplex of matrices to turn: drag, or arrow keys; slices can be hidden; the pointer reads the nearest matrix.
  function solid(box) {
    const data = held(box), canvas = box.querySelector("canvas"), pen = canvas.getContext("2d");
    const said = box.querySelector("output"), size = canvas.width, centre = [0, 1, 2].map((k) =>
      data.corners.reduce((sum, corner) => sum + corner[k], 0) / data.corners.length);
    const reach = Math.max(...data.corners.map((corner) => Math.hypot(...corner.map((x, k) => x - centre[k]))));
    let [turn, tilt] = data.view, dots = [];
    const flat = (at) => {
      const [x, y, z] = at.map((value, k) => (value - centre[k]) / reach);
      const [u, v] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)];
      return [size / 2 + 0.43 * size * u, size / 2 - 0.43 * size * (z * Math.cos(tilt) - v * Math.sin(tilt)),
        v * Math.cos(tilt) + z * Math.sin(tilt)];
    };
    const color = (value) => {
      if (value === null) return "grey";
      const t = Math.min(Math.max((value - data.low) / (data.high - data.low), 0), 1), ends = data.scale;
      const k = Math.min(Math.floor(t * (ends.length - 1)), ends.length - 2), part = t * (ends.length - 1) - k;
      return `rgb(${ends[k].map((x, c) => Math.round(x + part * (ends[k + 1][c] - x))).join(" ")})`;
    };
    const matrices = data.slices.flatMap((slice, s) => slice.values.map((value, k) => {
      const fp = k % (data.total - slice.positives + 1), tp = Math.floor(k / (data.total - slice.positives + 1));
      const cells = [tp, fp, slice.positives - tp, data.total - slice.positives - fp];
      const at = [0, 1, 2].map((k) => cells.reduce((sum, n, c) => sum + n * data.corners[c][k], 0) / data.total);
      return { s, at, value, cells, color: color(value) };
    }));
    const boxes = all(box, "input[type=checkbox]");
    const draw = () => {
      const ink = getComputedStyle(canvas).color;
      pen.clearRect(0, 0, size, size);
      pen.strokeStyle = pen.fillStyle = ink;
      pen.globalAlpha = 0.5;
      data.corners.forEach((one, k) => data.corners.slice(k + 1).forEach((other) => {
        pen.beginPath();
        pen.moveTo(...flat(one).slice(0, 2));
        pen.lineTo(...flat(other).slice(0, 2));
        pen.stroke();
      }));
      pen.globalAlpha = 1;
      dots = matrices.filter((one) => boxes[one.s].checked).map((one) => ({ ...one, on: flat(one.at) }));
      dots.sort((one, other) => other.on[2] - one.on[2]).forEach((one) => {
        pen.fillStyle = one.color;
        pen.fillRect(one.on[0] - 2, one.on[1] - 2, 4, 4);
      });
      pen.fillStyle = ink;
      pen.font = `${Math.max(16, 12 * size / (canvas.clientWidth || size))}px sans-serif`;  // read on a telephone, too
      // Labels lie outwards of their points, each as far as it is clear of those before it.
      const taken = [], height = parseFloat(pen.font), middle = flat(centre);
      const label = (text, [x, y]) => {
        const width = pen.measureText(text).width, off = Math.hypot(x - middle[0], y - middle[1]) || 1;
        const [u, v] = [(x - middle[0]) / off, (y - middle[1]) / off];
        const room = (far) => [x + u * far - width * (1 - u) / 2, y + v * far + height * (0.35 + 0.5 * v)];
        const clear = ([left, base]) => taken.every(([l, b, w]) => left > l + w + 4 || left + width + 4 < l || Math.abs(base - b) > height);
        let far = 8;
        while (!clear(room(far)) && far < size) far += 4;
        taken.push([...room(far), width]);
        pen.fillText(text, ...room(far));
      };
      data.corners.forEach((corner, k) => label(data.names[k], flat(corner)));
      data.slices.forEach((slice, s) => {  // beside the corner where all are called positive
        const share = slice.positives / data.total, [all, none] = data.corners;
        if (boxes[s].checked) label(`p = ${slice.positives}`, flat(all.map((x, k) => share * x + (1 - share) * none[k])));
      });
      box.dataset.drawn = dots.length;
    };
    const read = (event) => {
      const area = canvas.getBoundingClientRect(), [x, y] = [event.clientX - area.left, event.clientY - area.top]
        .map((at) => at * size / area.width);
      const near = dots.filter((one) => Math.hypot(one.on[0] - x, one.on[1] - y) < 8).at(-1);
      said.textContent = near ? `${data.names.map((name, k) => `${name} ${near.cells[k]}`).join(", ")}: ${data.score} ` +
        `${near.value === null ? "undefined" : Number(near.value.toPrecision(3))}` : "";
    };
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) { turn += event.movementX / 120; tilt += event.movementY / 120; draw(); }
      read(event);
    });
    canvas.addEventListener("keydown", (event) => {
      if (!steps[event.key]) return;
      turn += 0.1 * steps[event.key][0];
      tilt += 0.1 * steps[event.key][1];
      draw();
      event.preventDefault();
    });
    boxes.forEach((one) => one.addEventListener("change", draw));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    draw();
  }

  // A text to copy.
  function copied(box) {
    const button = box.querySelector("button");
    button.hidden = false;
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(box.querySelector("[data-text]"));
      if (navigator.clipboard) navigator.clipboard.writeText(getSelection().toString()).catch(() => {});
      button.textContent = "Selected and copied";
    });
  }

  const parts = { table, tile, solid, copied };
  all(document, "[data-page]:not([data-ready])").forEach((box) => {
    box.dataset.ready = "";
    parts[box.dataset.page](box);
  });
})();
