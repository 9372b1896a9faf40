
// The chart over time and the heat map, drawn on canvases.

/** The most rows that have a colour of their own. */
const COLOURS = 8;

const MARGIN = { left: 74, right: 10, top: 8, bottom: 24 };

/** Returns a colour of the style sheet. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const clockTime = (time) => new Date(time * 1000).toLocaleTimeString("en-GB");

/** Prepares a canvas for its size on the screen, and returns what to draw with. */
function begin(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  const inside = {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(1, width - MARGIN.left - MARGIN.right),
    height: Math.max(1, height - MARGIN.top - MARGIN.bottom),
  };
  return { pen, inside };
}

/** Returns the round number at or above a value: 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value * 0.9999);
}

function drawTimes({ pen, inside }, { from, to }) {
  pen.fillStyle = colour("--quiet");
  pen.textBaseline = "top";
  const steps = Math.max(1, Math.min(6, Math.floor(inside.width / 110)));
  for (let step = 0; step <= steps; step += 1) {
    const x = inside.left + (inside.width * step) / steps;
    pen.textAlign = step === 0 ? "left" : step === steps ? "right" : "center";
    pen.fillText(clockTime(from + ((to - from) * step) / steps), x, inside.top + inside.height + 7);
  }
}

function drawScale({ pen, inside }, most, text) {
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.strokeStyle = colour("--line");
  pen.lineWidth = 1;
  for (let step = 0; step <= 4; step += 1) {
    const y = Math.round(inside.top + inside.height * (1 - step / 4)) + 0.5;
    pen.beginPath();
    pen.moveTo(inside.left, y);
    pen.lineTo(inside.left + inside.width, y);
    pen.stroke();
    pen.fillStyle = colour("--quiet");
    pen.fillText(text((most * step) / 4), inside.left - 8, Math.min(y, inside.top + inside.height));
  }
}

/**
 * Draws lines or, where parts add up, a stack of areas.
 * `series` is a list of `{ colour, points }`, where points are `[time, figure or null]`.
 */
function drawChart(canvas, { series, range, stacked, text, most, selection }) {
  const area = begin(canvas);
  const { pen, inside } = area;
  const x = (time) => inside.left + ((time - range.from) / (range.to - range.from)) * inside.width;
  const times = series[0]?.points.map(([time]) => time) ?? [];
  const base = times.map(() => 0);
  const tops = series.map(({ points }) => points.map(([, figure], at) => {
    if (!stacked) return figure;
    base[at] += figure ?? 0;
    return base[at];
  }));
  const highest = Math.max(0, ...tops.flat().filter((figure) => figure !== null));
  const scale = most ?? roundUp(highest);
  const y = (figure) => inside.top + inside.height * (1 - figure / scale);
  drawScale(area, scale, text);
  drawTimes(area, range);
  pen.save();
  pen.beginPath();
  pen.rect(inside.left, inside.top - 1, inside.width, inside.height + 2);
  pen.clip();
  for (let at = tops.length - 1; at >= 0; at -= 1) {
    const points = tops[at].map((figure, index) => [times[index], figure]);
    const line = points.filter(([, figure]) => figure !== null);
    if (line.length === 0) continue;
    pen.beginPath();
    line.forEach(([time, figure]) => pen.lineTo(x(time), y(figure)));
    pen.strokeStyle = series[at].colour;
    pen.lineWidth = 2;
    pen.stroke();
    if (stacked) {
      const below = at > 0 ? tops[at - 1] : times.map(() => 0);
      for (let index = times.length - 1; index >= 0; index -= 1) {
        pen.lineTo(x(times[index]), y(below[index]));
      }
      pen.closePath();
      pen.globalAlpha = 0.55;
      pen.fillStyle = series[at].colour;
      pen.fill();
      pen.globalAlpha = 1;
    }
    if (line.length === 1) {
      pen.beginPath();
      pen.arc(x(line[0][0]), y(line[0][1]), 3, 0, 2 * Math.PI);
      pen.fillStyle = series[at].colour;
      pen.fill();
    }
  }
  if (selection) {
    pen.globalAlpha = 0.25;
    pen.fillStyle = colour("--accent");
    pen.fillRect(selection.left, inside.top, selection.width, inside.height);
    pen.globalAlpha = 1;
  }
  pen.restore();
}

/** Returns the time at a distance from the left of a chart. */
function timeAt(canvas, x, { from, to }) {
  const width = Math.max(1, canvas.clientWidth - MARGIN.left - MARGIN.right);
  const share = Math.min(1, Math.max(0, (x - MARGIN.left) / width));
  return from + share * (to - from);
}

/** Rows of the heat map for each factor of ten. */
const STEPS = 6;

/** Draws how many batches took how long. `columns` is a list of `{ time, seconds, counts }`. */
function drawHeat(canvas, { columns, range }) {
  const area = begin(canvas);
  const { pen, inside } = area;
  const rowOf = (upper) => Math.ceil(Math.log10(upper) * STEPS - 1e-6);
  const binned = columns.map(({ time, seconds, counts }) => {
    const rows = new Map();
    for (const [upper, count] of counts) {
      const row = rowOf(Math.max(upper, 1e-9));
      rows.set(row, (rows.get(row) ?? 0) + count / seconds);
    }
    return { time, seconds, rows };
  });
  const all = binned.flatMap(({ rows }) => [...rows.keys()]);
  const lowest = all.length ? Math.min(...all) - 1 : -6 * STEPS;
  const highest = Math.max(all.length ? Math.max(...all) + 1 : -3 * STEPS, lowest + STEPS);
  const most = Math.max(1, ...binned.flatMap(({ rows }) => [...rows.values()]));
  const height = inside.height / (highest - lowest);
  const y = (row) => inside.top + (highest - row) * height;
  const x = (time) => inside.left + ((time - range.from) / (range.to - range.from)) * inside.width;
  const cold = colour("--heat-0").split(",").map(Number);
  const hot = colour("--heat-1").split(",").map(Number);
  pen.fillStyle = `rgb(${cold.join(",")})`;
  pen.fillRect(inside.left, inside.top, inside.width, inside.height);
  pen.save();
  pen.beginPath();
  pen.rect(inside.left, inside.top, inside.width, inside.height);
  pen.clip();
  for (const { time, seconds, rows } of binned) {
    const [left, right] = [Math.floor(x(time - seconds)), Math.ceil(x(time))];
    for (const [row, count] of rows) {
      const heat = 0.12 + 0.88 * Math.sqrt(count / most);
      const mixed = cold.map((part, at) => Math.round(part + (hot[at] - part) * heat));
      pen.fillStyle = `rgb(${mixed.join(",")})`;
      const top = Math.floor(y(row));
      pen.fillRect(left, top, right - left, Math.ceil(y(row - 1)) - top);
    }
  }
  pen.restore();
  pen.fillStyle = colour("--quiet");
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (let power = Math.ceil(lowest / STEPS); power <= highest / STEPS; power += 1) {
    pen.fillText(asSeconds(10 ** power), inside.left - 8, y(power * STEPS));
  }
  drawTimes(area, range);
  return most;
}
