"use strict";
// Pages to explore, on top of those of page.js: pmfs of the next confusion matrix and of its scores, for every matrix that
// may be observed; contours of scores with a point to move. All is computed here, for the class sizes that a reader types.
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
  // With more digits where these would say 1 or -1 of a number that is neither, such as a prevalence of 0.99995.
  const short = (x, digits = 3) => {
    const said = Number(x.toPrecision(digits));
    return Math.abs(said) === 1 && Math.abs(said - x) > 1e-9 ? short(x, digits + 1) : said.toString();
  };
  const control = (box, name) => box.querySelector(`[data-control=${name}]`);
  const say = (input, text) => { control(input.closest("[data-explore]"), `${input.dataset.control}-said`).textContent = text; };

  // Scores that are no ranking scores, of counts or, beyond the ROC square, of shares; a ranking score comes as its importance.
  const SCORES = {
    mcc: (tn, fp, fn, tp) => (tp * tn - fp * fn) / Math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    markedness: (tn, fp, fn, tp) => tp / (tp + fp) + tn / (tn + fn) - 1,
    cohen_kappa: (tn, fp, fn, tp) => 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
    fowlkes_mallows: (tn, fp, fn, tp) => tp / Math.sqrt((tp + fp) * (tp + fn)),
    f1: (tn, fp, fn, tp) => 2 * tp / (2 * tp + fp + fn),
    threat_score: (tn, fp, fn, tp) => tp / (tp + fp + fn),
  };
  const RATES = {
    balanced_accuracy: (tnr, fpr, fnr, tpr) => (tnr + tpr) / 2,
    informedness: (tnr, fpr, fnr, tpr) => tnr + tpr - 1,
    g_mean: (tnr, fpr, fnr, tpr) => Math.sqrt(tnr * tpr),
    prevalence_threshold: (tnr, fpr, fnr, tpr) => Math.sqrt(fpr) / (Math.sqrt(tpr) + Math.sqrt(fpr)),
    standardized_ppv: (tnr, fpr, fnr, tpr) => tpr / (tpr + fpr),
    standardized_npv: (tnr, fpr, fnr, tpr) => tnr / (tnr + fnr),
  };
  ["mcc", "markedness", "f1", "fowlkes_mallows", "threat_score"].forEach((name) => { RATES[`balanced_${name}`] = SCORES[name]; });
  // The value at two rates of a test set; NaN where it is undefined.
  const valueAt = ({ key, importance }, { p, n }, fpr, tpr) => {
    const rates = [1 - fpr, fpr, 1 - tpr, tpr], cells = rates.map((rate, k) => rate * (k < 2 ? n : p));
    let found;
    if (importance) {
      const [tn, fp, fn, tp] = cells.map((cell, k) => cell * importance[k]);
      found = (tn + tp) / (tn + fp + fn + tp);
    } else found = RATES[key] ? RATES[key](...rates) : SCORES[key](...cells);
    return Number.isFinite(found) ? found : NaN;
  };
  // The value of each matrix, row by row from TP 0, within a row from TN 0.
  const allValues = (score, size) => [...Array((size.p + 1) * (size.n + 1)).keys()].map((k) =>
    valueAt(score, size, (size.n - k % (size.n + 1)) / size.n, Math.floor(k / (size.n + 1)) / size.p));

  // Numbers of positives and negatives that the reader types, as many as make no more matrices than `most`.
  function chooseSize(box, [p, n], most, changed) {
    const inputs = ["positives", "negatives"].map((name) => control(box, name)), size = { p, n };
    const show = () => inputs.forEach((input, k) => {
      input.max = Math.max(1, Math.floor(most / ((k ? size.p : size.n) + 1)) - 1);
      input.value = k ? size.n : size.p;
      say(input, k ? `prevalence ${short(size.p / (size.p + size.n))}` : "");
    });
    inputs.forEach((input, k) => input.addEventListener("change", () => {
      const typed = Math.round(Number(input.value)), top = Number(input.max);
      if (typed >= 1) size[k ? "n" : "p"] = Math.min(typed, top);
      show();
      if (typed > top) say(input, `at most ${top} with ${k ? size.p : size.n} of the other class`);
      changed();
    }));
    show();
    return () => size;
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
    const size = chooseSize(box, data.size, data.most, () => build());
    const shown = (name) => control(box, name).checked;
    const matrix = (x, y) => [size().p * (frame.y - y) / frame.side, size().n * (1 - (x - frame.x) / frame.side)];
    const point = movable(box, joints.map((svg) => [svg, matrix]), size, () => fill());
    let parts = [], margins = [], scores = [], largest = 1, edge = 1;

    // Pmfs of the right calls among as many new cases of a class, by model and by their observed number.
    const classMargins = (cases) => {
      const logs = [0], halves = [0];  // of k!, and of gamma(k + 1/2) / gamma(1/2)
      for (let k = 1; k <= 2 * cases; k += 1) { logs.push(logs[k - 1] + Math.log(k)); halves.push(halves[k - 1] + Math.log(k - 0.5)); }
      const choose = (all, k) => logs[all] - logs[k] - logs[all - k], counts = [...Array(cases + 1).keys()];
      const beta = (right, wrong) => halves[right] + halves[wrong] - logs[right + wrong];
      return [  // the default prior has half a case in each cell
        (seen) => counts.map((k) => Math.exp(choose(cases, k) + beta(k + seen, 2 * cases - k - seen) - beta(seen, cases - seen))),
        (seen) => counts.map((k) => (seen % cases === 0 ? Number(k === seen) :
          Math.exp(choose(cases, k) + k * Math.log(seen / cases) + (cases - k) * Math.log(1 - seen / cases)))),
      ];
    };
    const jointMasses = (a, d) => margins.map(([tp, tn]) => { const across = tn(d); return tp(a).flatMap((up) => across.map((mass) => up * mass)); });
    const groupSums = (score, masses) => {
      const sums = new Float64Array(score.values.length);
      masses.forEach((mass, k) => { if (score.group[k] >= 0) sums[score.group[k]] += mass; });
      return sums;
    };
    const binSums = (score, sums) => {
      const bins = Array(data.bins).fill(0);
      sums.forEach((mass, g) => { bins[clamp(Math.floor(data.bins * (score.values[g] - score.low) / (score.high - score.low)), 0, data.bins - 1)] += mass; });
      return bins;
    };
    // Matrices of one value are one group; -1 if undefined.
    const groupValues = (score) => {
      const found = allValues(score, size()), group = found.map(() => -1), values = [], count = [];
      [...found.keys()].filter((k) => !isNaN(found[k])).sort((i, j) => found[i] - found[j]).forEach((k) => {
        if (!values.length || found[k] - values.at(-1) > 1e-12) { values.push(found[k]); count.push(0); }
        group[k] = values.length - 1;
        count[group[k]] += 1;
      });
      return { ...score, values, group, count };
    };
    // Scales are those of one matrix, the first that is shown or 80% right in each class, so that pmfs can be compared.
    const prepare = () => {
      const { p, n } = size(), [tp, tn] = [classMargins(p), classMargins(n)];
      const [a, d] = p === data.size[0] && n === data.size[1] ? data.start : [Math.round(0.8 * p), Math.round(0.8 * n)];
      margins = data.models.map((_, m) => [tp[m], tn[m]]);
      edge = Math.max(...margins.flatMap(([up, across]) => [...up(a), ...across(d)]));
      const masses = jointMasses(a, d), top = (lists) => lists.flat().reduce((most, one) => Math.max(most, one), 0);
      largest = top(masses);
      scores = data.scores.map((score) => {
        const found = groupValues(score), sums = masses.map((mass) => [...groupSums(found, mass)]);
        return { ...found, largest: top(sums), tallest: top(sums.map((one) => binSums(found, one))) };
      });
    };

    const build = () => {
      const { p, n } = size();
      point.resize();
      prepare();
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
      const { p, n } = size(), [a, d] = point.at(), wide = 2 ** Number(zoom.value);
      const height = (mass, most, room) => room * Math.min(mass / (most * wide), 1.02);
      showMatrix(box, { p, n }, a, d);
      say(zoom, `up to ${short(edge * wide, 2)} in margins`);
      const masses = jointMasses(a, d);
      joints.forEach((svg, m) => {
        const right = frame.x + frame.side, [up, across] = [margins[m][0](a), margins[m][1](d)];
        masses[m].forEach((mass, k) => { svg.dots[k].setAttribute("r", (LARGEST * Math.sqrt(mass / (largest * wide))).toFixed(2)); });
        svg.parts.above.replaceChildren();
        draw(svg.parts.above, "path", { stroke: colors[m], d: across.map((mass, j) =>
          `M${right - frame.side * j / n} ${frame.y - frame.side - 8}v${-height(mass, edge, 82)}`).join("") });
        // Bars that are cut off have their masses beside them, or they would look alike.
        const cut = (masses) => [...masses.keys()].filter((k) => masses[k] > edge * wide).reverse();
        const list = (masses) => cut(masses).map((k) => short(masses[k], 2)).join(", ");
        const last = cut(across).at(-1), top = cut(up)[0];
        if (last !== undefined) draw(svg.parts.above, "text",
          { x: right - frame.side * last / n + 4, y: frame.y - frame.side - 78 }, list(across));
        svg.parts.beside.replaceChildren();
        draw(svg.parts.beside, "path", { stroke: colors[m], d: up.map((mass, i) =>
          `M${right + 8} ${frame.y - frame.side * i / p}h${height(mass, edge, 82)}`).join("") });
        if (top !== undefined) draw(svg.parts.beside, "text",
          { x: right + 90, y: frame.y - frame.side * top / p - 5, class: "end" }, list(up));
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
          const sums = groupSums(score, masses[m]), bins = binSums(score, sums);
          const total = sums.reduce((sum, mass) => sum + mass, 0), mean = sums.reduce((sum, mass, g) => sum + mass * score.values[g], 0) / total;
          const spread = Math.sqrt(sums.reduce((sum, mass, g) => sum + mass * (score.values[g] - mean) ** 2, 0) / total);
          draw(part.dots, "path", { stroke: colors[m], d: [...sums].map((mass, g) => mass / (score.largest * wide) < 1e-3 ? "" :
            `M${part.at(score.values[g]).toFixed(2)} ${(ON.y - height(mass, score.largest, ON.height)).toFixed(2)}h.01`).join("") });
          const step = ON.width / data.bins;
          draw(part.bars, "path", { stroke: colors[m], d: `M${ON.x} ${ON.y - ON.height - 6}` +
            bins.map((mass) => `V${ON.y - ON.height - 6 - height(mass, score.tallest, 56)}h${step}`).join("") });
          return total ? `${model} ${mean.toFixed(3)} ± ${spread.toFixed(3)}` : `${model} undefined`;
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
    const points = control(box, "points"), [roc, pr] = all(box, "svg[data-square]"), frame = { x: 54, y: 420, side: 400 }, GRID = 100;
    const size = chooseSize(box, data.size, data.most, () => build());
    const ends = () => (beyond.checked ? data.extent : [0, 1]);
    const scaled = (t) => { const [low, high] = ends(); return (t - low) / (high - low); };
    const on = (x, y) => [frame.x + frame.side * scaled(x), frame.y - frame.side * scaled(y)];
    const flat = (x, y) => [frame.x + frame.side * x, frame.y - frame.side * y];
    const color = (value, { low, high }) => {
      if (isNaN(value)) return "var(--edge)";
      const t = clamp((value - low) / (high - low), 0, 1) * (data.scale.length - 1), k = Math.min(Math.floor(t), data.scale.length - 2);
      return `rgb(${data.scale[k].map((x, c) => Math.round(x + (t - k) * (data.scale[k + 1][c] - x))).join(" ")})`;
    };
    const precision = (fpr, tpr) => { const { p, n } = size(); return p * tpr / (p * tpr + n * fpr); };
    const matrix = (x, y) => {
      const [low, high] = ends(), { p, n } = size();
      return [p * (low + (high - low) * (frame.y - y) / frame.side), n * (1 - low - (high - low) * (x - frame.x) / frame.side)];
    };
    const read = (x, y) => {  // recall across, precision up
      const { p, n } = size(), precise = clamp((frame.y - y) / frame.side, 1e-9, 1);
      const a = clamp(Math.round(p * (x - frame.x) / frame.side), 0, p);
      return [a, n - (a ? Math.min(n, Math.round(a * (1 - precise) / precise)) : 1)];
    };
    const point = movable(box, [[roc, matrix], [pr, read]], size, () => mark());
    // Pieces of the line where a score has a value: from the edges of a grid, on which bisection finds it.
    const contour = (one, value, grid) => {
      const [low, high] = ends(), cells = grid.length - 1, step = (high - low) / cells;
      const cross = ([i, j], [k, l]) => {
        const [from, to] = [grid[i][j], grid[k][l]];
        let [s, t] = [0, 1];
        if (isNaN(from) || isNaN(to) || (from >= value) === (to >= value)) return null;
        const at = (share) => [low + step * (i + share * (k - i)), low + step * (j + share * (l - j))];
        for (let round = 0; round < 40; round += 1) {
          const middle = (s + t) / 2;
          if ((valueAt(one, size(), ...at(middle)) >= value) === (from >= value)) s = middle; else t = middle;
        }
        const found = at((s + t) / 2);
        return Math.abs(valueAt(one, size(), ...found) - value) < 1e-3 * (one.high - one.low) ? found : null;  // a jump is no line
      };
      const pieces = [];
      for (let i = 0; i < cells; i += 1) for (let j = 0; j < cells; j += 1) {
        const ring = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const met = ring.map((corner, k) => cross(corner, ring[(k + 1) % 4])).filter(Boolean);
        for (let k = 0; k + 1 < met.length; k += 2) pieces.push([met[k], met[k + 1]]);
      }
      return pieces;
    };
    const path = (pieces) => pieces.map(([one, other]) => `M${one.map((x) => x.toFixed(2)).join(" ")}L${other.map((x) => x.toFixed(2)).join(" ")}`).join("");
    const bent = (pieces) => pieces.filter((piece) => piece.every(([x, y]) => x >= 0 && x <= 1 && y >= 0 && y <= 1 && x + y > 0))
      .map((piece) => piece.map(([x, y]) => flat(y, precision(x, y))));
    const build = () => {
      const { p, n } = size(), one = data.scores[Number(score.value)], [low, high] = ends();
      const places = [...Array(GRID + 1).keys()].map((k) => low + (high - low) * k / GRID);
      const grid = places.map((x) => places.map((y) => valueAt(one, size(), x, y)));
      const found = one.levels.map((value) => [value, contour(one, value, grid)]);
      const values = (p + 1) * (n + 1) > data.most_points ? [] : allValues(one, size());
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
        if (points.checked) values.forEach((value, index) => {
          const [a, d] = [Math.floor(index / (n + 1)), index % (n + 1)];
          const [cx, cy] = svg === roc ? on(1 - d / n, a / p) : flat(a / p, precision(1 - d / n, a / p));
          if (!isNaN(cy)) draw(dots, "circle", { cx, cy, r: 2, fill: color(value, one) });
        });
        found.forEach(([at, pieces]) => {
          const d = path(svg === roc ? pieces.map((piece) => piece.map(([x, y]) => on(x, y))) : bent(pieces));
          const made = draw(lines, "path", { d, stroke: color(at, one) });
          draw(made, "title", {}, `${one.name} = ${at}`);
        });
        svg.spot = spot;
      });
      mark();
    };
    const mark = () => {
      const { p, n } = size(), [a, d] = point.at();
      showMatrix(box, { p, n }, a, d);
      [[roc, on(1 - d / n, a / p)], [pr, flat(a / p, precision(1 - d / n, a / p))]].forEach(([svg, [x, y]]) => {
        svg.spot.replaceChildren();
        if (!isNaN(y)) draw(svg.spot, "path", { d: `M${x - 7} ${y - 7}l14 14M${x + 7} ${y - 7}l-14 14` });
      });
      all(box, "[data-value]").forEach((cell, k) => {
        const value = valueAt(data.scores[k], size(), 1 - d / n, a / p);
        cell.textContent = isNaN(value) ? "undefined" : short(value);
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
