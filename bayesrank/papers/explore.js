"use strict";
// Pages to explore, on top of those of page.js: pmfs of the next confusion matrix and of its scores, for every matrix that
// may be observed; contours of scores with a point to move. All that is drawn was computed before: here it is looked up,
// multiplied and summed.
(() => {
  const all = (root, what) => [...root.querySelectorAll(what)];
  const readData = (box) => JSON.parse(box.querySelector("script[type='application/json']").textContent);
  const draw = (parent, tag, attributes, text) => {
    const made = document.createElementNS(parent.namespaceURI, tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };
  const put = (svg, ...parts) => { svg.replaceChildren(); return parts.map((words) => draw(svg, "g", { class: words })); };
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const short = (x, digits = 3) => Number(x.toPrecision(digits)).toString();
  const control = (box, name) => box.querySelector(`[data-control=${name}]`);
  const say = (input, text) => { control(input.closest("[data-explore]"), `${input.dataset.control}-said`).textContent = text; };

  // Sliders of N and p over the sizes of the page. A new N keeps the share of positives, as nearly as its sizes allow.
  function chooseSize(box, sizes, changed) {
    const total = control(box, "total"), positives = control(box, "positives"), cases = ({ p, n }) => p + n;
    const totals = [...new Set(sizes.map(cases))].sort((x, y) => x - y);
    let chosen = sizes[0];
    const alike = () => sizes.filter((one) => cases(one) === totals[total.value]).sort((x, y) => x.p - y.p);
    const show = () => {
      say(total, `${cases(chosen)} cases`);
      say(positives, `${chosen.p} of ${cases(chosen)}`);
    };
    total.max = totals.length - 1;
    total.value = totals.indexOf(cases(chosen));
    positives.max = alike().length - 1;
    positives.value = alike().indexOf(chosen);
    show();
    total.addEventListener("input", () => {
      const share = chosen.p / cases(chosen), far = (one) => Math.abs(one.p / cases(one) - share);
      chosen = alike().reduce((best, one) => (far(one) < far(best) ? one : best));
      positives.max = alike().length - 1;
      positives.value = alike().indexOf(chosen);
      show();
      changed();
    });
    positives.addEventListener("input", () => { chosen = alike()[positives.value]; show(); changed(); });
    return () => chosen;
  }

  // Sliders of TP and TN, and arrow keys and pointer on a picture, move one matrix: columns from FPR 0, rows from TPR 0.
  function movable(box, pictures, size, changed) {
    const tp = control(box, "tp"), tn = control(box, "tn");
    const at = () => [Number(tp.value), Number(tn.value)];
    const move = (a, d) => {
      tp.value = clamp(Math.round(a), 0, size().p);
      tn.value = clamp(Math.round(d), 0, size().n);
      changed();
    };
    [tp, tn].forEach((slider) => slider.addEventListener("input", changed));
    const steps = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1] };
    pictures.forEach(([picture, matrix]) => {
      picture.addEventListener("keydown", (event) => {
        const step = steps[event.key], [a, d] = at();
        if (!step) return;
        move(a + step[0], d + step[1]);
        event.preventDefault();
      });
      const point = (event) => {
        const area = picture.getBoundingClientRect(), view = picture.viewBox.baseVal;
        const found = matrix(...[event.clientX - area.left, event.clientY - area.top].map((x) => x * view.width / area.width));
        if (found) move(...found);
      };
      picture.addEventListener("pointerdown", (event) => { picture.focus({ preventScroll: true }); point(event); });
      picture.addEventListener("pointermove", (event) => { if (event.buttons & 1) point(event); });
    });
    return {
      at, move,
      resize: () => {  // rates stay, as nearly as counts can
        [[tp, size().p], [tn, size().n]].forEach(([slider, cases]) => {
          const rate = Number(slider.value) / (Number(slider.max) || 1);
          slider.max = cases;
          slider.value = Math.round(rate * cases);
        });
      },
    };
  }
  const showMatrix = (box, { p, n }, a, d) => {
    [a, n - d, p - a, d].forEach((count, k) => { all(box, "[data-cell]")[k].textContent = count; });
    say(control(box, "tp"), `${a} of ${p}`);
    say(control(box, "tn"), `${d} of ${n}`);
  };

  // A square with its ticks: of pixels x, y, side; from low to high.
  const axes = (svg, { x, y, side, low = 0, high = 1 }, across, up) => {
    draw(svg, "rect", { x, y: y - side, width: side, height: side, class: "frame" });
    [0, 0.25, 0.5, 0.75, 1].forEach((part) => {
      const value = short(low + part * (high - low), 2);
      draw(svg, "text", { x: x + part * side, y: y + 17, class: "middle" }, value);
      draw(svg, "text", { x: x - 6, y: y - part * side + 4, class: "end" }, value);
    });
    draw(svg, "text", { x: x + side / 2, y: y + 36, class: "middle" }, across);
    draw(svg, "text", { x: x - 36, y: y - side / 2, class: "middle", transform: `rotate(-90 ${x - 36} ${y - side / 2})` }, up);
  };

  // The next confusion matrix and its scores, whatever was observed.
  function pmf(box) {
    const data = readData(box), colors = data.colors, zoom = control(box, "zoom");
    const joints = all(box, "svg[data-joint]"), panels = all(box, "svg[data-score]"), frame = { x: 54, y: 384, side: 262 };
    const ON = { x: 48, y: 236, width: 330, height: 150 }, LARGEST = 8;
    const size = chooseSize(box, data.sizes, () => build());
    const shown = (name) => control(box, name).checked;
    const matrix = (x, y) => [size().p * (frame.y - y) / frame.side, size().n * (1 - (x - frame.x) / frame.side)];
    const point = movable(box, joints.map((svg) => [svg, matrix]), size, () => fill());
    let parts = [];

    const build = () => {
      const { p, n, scores } = size();
      point.resize();
      joints.forEach((svg, m) => {
        const [still, above, beside, circles, mark] = put(svg, "still", "above", "beside", "circles", "observed");
        draw(still, "text", { x: frame.x, y: 16, fill: colors[m], "font-weight": "bold" }, data.models[m]);
        axes(still, frame, "FPR", "TPR");
        draw(still, "path", { class: "lattice", d: [...Array((p + 1) * (n + 1)).keys()].map((k) => {
          const [i, j] = [Math.floor(k / (n + 1)), k % (n + 1)];
          return `M${frame.x + frame.side * (1 - j / n)} ${frame.y - frame.side * i / p}h.01`;
        }).join("") });
        svg.dots = [...Array((p + 1) * (n + 1)).keys()].map((k) => draw(circles, "circle", {
          cx: frame.x + frame.side * (1 - k % (n + 1) / n), cy: frame.y - frame.side * Math.floor(k / (n + 1)) / p, fill: colors[m], r: 0,
        }));
        svg.parts = { above, beside, mark };
      });
      parts = panels.map((svg, s) => {
        const score = scores[s], [still, rug, counts, bars, line, dots] = put(svg, "still", "rug", "counts", "bars", "observed", "dots");
        const at = (value) => ON.x + ON.width * (value - score.low) / (score.high - score.low);
        draw(still, "rect", { x: ON.x, y: ON.y - ON.height, width: ON.width, height: ON.height, class: "frame" });
        [0, 0.25, 0.5, 0.75, 1].forEach((part) => draw(still, "text", { x: ON.x + part * ON.width, y: ON.y + 17, class: "middle" },
          short(score.low + part * (score.high - score.low))));
        draw(still, "text", { x: ON.x + ON.width / 2, y: ON.y + 36, class: "middle" }, score.name);
        draw(rug, "path", { d: score.values.map((value) => `M${at(value)} ${ON.y}v-6`).join("") });
        const most = Math.max(...score.count);
        draw(counts, "path", { d: score.values.map((value, g) => `M${at(value)} ${ON.y - 0.45 * ON.height * score.count[g] / most}h.01`).join("") });
        draw(counts, "text", { x: ON.x + ON.width, y: 12, class: "end" }, `matrices with a value: up to ${most}`);
        return { still, rug, counts, bars, line, dots, at, top: draw(still, "text", { x: ON.x - 4, y: ON.y - ON.height + 5, class: "end" }) };
      });
      fill();
    };

    const fill = () => {
      const { p, n, scores, tp, tn, largest, edge } = size(), [a, d] = point.at(), wide = 2 ** Number(zoom.value);
      const height = (mass, most, room) => room * Math.min(mass / (most * wide), 1.02);
      showMatrix(box, { p, n }, a, d);
      say(zoom, `up to ${short(edge * wide, 2)} in margins`);
      const masses = data.models.map((_, m) => tp[m][a].flatMap((up) => tn[m][d].map((across) => up * across)));
      joints.forEach((svg, m) => {
        const right = frame.x + frame.side;
        masses[m].forEach((mass, k) => { svg.dots[k].setAttribute("r", (LARGEST * Math.sqrt(mass / (largest * wide))).toFixed(2)); });
        svg.parts.above.replaceChildren();
        draw(svg.parts.above, "path", { stroke: colors[m], d: tn[m][d].map((mass, j) =>
          `M${right - frame.side * j / n} ${frame.y - frame.side - 8}v${-height(mass, edge, 82)}`).join("") });
        // Bars that are cut off have their masses beside them, or they would look alike.
        const cut = (masses) => [...masses.keys()].filter((k) => masses[k] > edge * wide).reverse();
        const list = (masses) => cut(masses).map((k) => short(masses[k], 2)).join(", ");
        const last = cut(tn[m][d]).at(-1), top = cut(tp[m][a])[0];
        if (last !== undefined) draw(svg.parts.above, "text",
          { x: right - frame.side * last / n + 4, y: frame.y - frame.side - 78 }, list(tn[m][d]));
        svg.parts.beside.replaceChildren();
        draw(svg.parts.beside, "path", { stroke: colors[m], d: tp[m][a].map((mass, i) =>
          `M${right + 8} ${frame.y - frame.side * i / p}h${height(mass, edge, 82)}`).join("") });
        if (top !== undefined) draw(svg.parts.beside, "text",
          { x: right + 90, y: frame.y - frame.side * top / p - 5, class: "end" }, list(tp[m][a]));
        svg.parts.mark.replaceChildren();
        const [x, y] = [frame.x + frame.side * (1 - d / n), frame.y - frame.side * a / p];
        draw(svg.parts.mark, "path", { d: `M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12` });
      });
      panels.forEach((svg, s) => {
        const score = scores[s], part = parts[s], value = score.values[score.group[a * (n + 1) + d]];
        ["rug", "counts", "bars"].forEach((name) => { part[name].style.display = shown(name) ? "" : "none"; });
        ["bars", "dots", "line"].forEach((name) => part[name].replaceChildren());
        part.top.textContent = short(score.largest * wide, 2);
        const said = data.models.map((model, m) => {
          const sums = new Float64Array(score.values.length);
          masses[m].forEach((mass, k) => { if (score.group[k] >= 0) sums[score.group[k]] += mass; });
          const total = sums.reduce((sum, mass) => sum + mass, 0), mean = sums.reduce((sum, mass, g) => sum + mass * score.values[g], 0) / total;
          const spread = Math.sqrt(sums.reduce((sum, mass, g) => sum + mass * (score.values[g] - mean) ** 2, 0) / total);
          draw(part.dots, "path", { stroke: colors[m], d: [...sums].map((mass, g) => mass / (score.largest * wide) < 1e-3 ? "" :
            `M${part.at(score.values[g]).toFixed(2)} ${(ON.y - height(mass, score.largest, ON.height)).toFixed(2)}h.01`).join("") });
          const bins = Array(data.bins).fill(0);
          sums.forEach((mass, g) => { bins[clamp(Math.floor(data.bins * (score.values[g] - score.low) / (score.high - score.low)), 0, data.bins - 1)] += mass; });
          const step = ON.width / data.bins;
          draw(part.bars, "path", { stroke: colors[m], d: `M${ON.x} ${ON.y - ON.height - 6}` +
            bins.map((mass) => `V${ON.y - ON.height - 6 - height(mass, score.tallest, 56)}h${step}`).join("") });
          return `${model} ${mean.toFixed(3)} ± ${spread.toFixed(3)}`;
        });
        if (value !== undefined) draw(part.line, "path", { d: `M${part.at(value)} ${ON.y}V${ON.y - ON.height}` });
        svg.nextElementSibling.textContent = `${score.name}: observed ${value === undefined ? "undefined" : value.toFixed(3)}; ${said.join("; ")}`;
      });
    };
    [zoom, ...["rug", "counts", "bars"].map((name) => control(box, name))].forEach((one) => one.addEventListener("input", fill));
    build();
    point.move(...data.start);
  }

  // Contours of a score over the points of a test set, in the ROC square, beyond it, and in that of precision and recall.
  function contours(box) {
    const data = readData(box), score = control(box, "score"), beyond = control(box, "beyond");
    const points = control(box, "points"), [roc, pr] = all(box, "svg[data-square]"), frame = { x: 54, y: 420, side: 400 };
    const size = chooseSize(box, data.sizes, () => build());
    const ends = () => (beyond.checked ? data.extent : [0, 1]);
    const scaled = (t) => { const [low, high] = ends(); return (t - low) / (high - low); };
    const on = (x, y) => [frame.x + frame.side * scaled(x), frame.y - frame.side * scaled(y)];
    const flat = (x, y) => [frame.x + frame.side * x, frame.y - frame.side * y];
    const color = (value, { low, high }) => {
      if (value === null) return "var(--edge)";
      const t = clamp((value - low) / (high - low), 0, 1) * (data.scale.length - 1), k = Math.min(Math.floor(t), data.scale.length - 2);
      return `rgb(${data.scale[k].map((x, c) => Math.round(x + (t - k) * (data.scale[k + 1][c] - x))).join(" ")})`;
    };
    const precision = (fpr, tpr) => { const { p, n } = size(); return p * tpr / (p * tpr + n * fpr); };
    const matrix = (x, y) => {
      const [low, high] = ends(), { p, n } = size();
      return [p * (low + (high - low) * (frame.y - y) / frame.side), n * (1 - low - (high - low) * (x - frame.x) / frame.side)];
    };
    const read = (x, y) => {  // the nearest matrix that has a precision
      const { p, n } = size(), near = [0, 0, Infinity];
      for (let a = 0; a <= p; a += 1) for (let d = 0; d <= n; d += 1) {
        const [u, v] = flat(a / p, precision(1 - d / n, a / p)), far = Math.hypot(u - x, v - y);
        if (far < near[2]) near.splice(0, 3, a, d, far);
      }
      return near[2] < Infinity ? near.slice(0, 2) : null;
    };
    const point = movable(box, [[roc, matrix], [pr, read]], size, () => mark());
    const path = (places) => places.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");
    // Straight pieces of the ROC square are curves in that of precision and recall.
    const bent = (line) => {
      const out = [[]];
      line.slice(1).forEach(([x1, y1], k) => {
        const [x0, y0] = line[k];
        for (let part = 0; part < 24; part += 1) {
          const [x, y] = [x0 + (x1 - x0) * part / 24, y0 + (y1 - y0) * part / 24];
          if (x >= 0 && x <= 1 && y >= 0 && y <= 1 && x + y > 0) out.at(-1).push(flat(y, precision(x, y)));
          else if (out.at(-1).length) out.push([]);
        }
      });
      return out.map(path).join("");
    };
    const build = () => {
      const { p, n, values, share } = size(), k = Number(score.value), one = data.scores[k];
      point.resize();
      [roc, pr].forEach((svg) => {
        const [still, dots, lines, spot] = put(svg, "still", "dots", "lines", "observed");
        const id = `clip${Math.random().toString(36).slice(2)}`;  // the page may be in another twice
        draw(draw(still, "clipPath", { id }), "rect", { x: frame.x, y: frame.y - frame.side, width: frame.side, height: frame.side });
        [dots, lines].forEach((part) => part.setAttribute("clip-path", `url(#${id})`));
        if (svg === roc) axes(still, { ...frame, low: ends()[0], high: ends()[1] }, "FPR", "TPR");
        else axes(still, frame, "recall", "precision");
        if (svg === roc && beyond.checked) {
          const [x, y] = on(0, 1), [right, low] = on(1, 0);
          draw(still, "rect", { x, y, width: right - x, height: low - y, class: "frame" });
        }
        if (points.checked) values[k].forEach((value, index) => {
          const [a, d] = [Math.floor(index / (n + 1)), index % (n + 1)];
          const [cx, cy] = svg === roc ? on(1 - d / n, a / p) : flat(a / p, precision(1 - d / n, a / p));
          if (!isNaN(cy)) draw(dots, "circle", { cx, cy, r: 2, fill: color(value, one) });
        });
        data.lines[share][k].forEach(({ at, parts }) => {
          const d = svg === roc ? parts.map((part) => path(part.map(([x, y]) => on(x, y)))).join("") : parts.map(bent).join("");
          const made = draw(lines, "path", { d, stroke: color(at, one) });
          draw(made, "title", {}, `${one.name} = ${at}`);
        });
        svg.spot = spot;
      });
      mark();
    };
    const mark = () => {
      const { p, n, values } = size(), [a, d] = point.at();
      showMatrix(box, { p, n }, a, d);
      [[roc, on(1 - d / n, a / p)], [pr, flat(a / p, precision(1 - d / n, a / p))]].forEach(([svg, [x, y]]) => {
        svg.spot.replaceChildren();
        if (!isNaN(y)) draw(svg.spot, "path", { d: `M${x - 7} ${y - 7}l14 14M${x + 7} ${y - 7}l-14 14` });
      });
      all(box, "[data-value]").forEach((cell, k) => {
        const value = values[k][a * (n + 1) + d];
        cell.textContent = value === null ? "undefined" : short(value);
      });
    };
    [score, beyond, points].forEach((one) => one.addEventListener("input", build));
    build();
    point.move(...data.start);
  }

  const parts = { pmf, contours };
  all(document, "[data-explore]:not([data-ready])").forEach((box) => {
    box.dataset.ready = "";
    parts[box.dataset.explore](box);
    all(box, "[hidden]").forEach((part) => part.removeAttribute("hidden"));
  });
})();
