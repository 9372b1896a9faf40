
// The page: what comes in, what is shown of it, and what buttons and keys do.

const $ = (id) => document.getElementById(id);

const past = new Past();
const view = new View();

/** The last snapshot, the change that the bars show while live, and the window in time. */
let latest = null;
let present = null;
let paused = false;
let dragged = null;

/** The window: seconds that are shown, and its end; null stands for the present. */
const WINDOWS = [15, 30, 60, 120, 300, 600];
const frame = { span: 120, end: null };

/** Tells a screen reader something. */
function tell(text) {
  $("told").textContent = text;
}

/** Returns the times that the charts show. */
function range() {
  const newest = past.samples.at(-1)?.time ?? latest?.time ?? Date.now() / 1000;
  const to = frame.end ?? newest;
  return { from: to - frame.span, to };
}

/** Returns the samples within the charts. */
function visible() {
  const { from, to } = range();
  return past.samples.filter(({ time }) => time > from - 1e-6 && time <= to + 1e-6);
}

/** Returns the samples that the bars sum up: the last one, or all of a chosen time. */
function summed() {
  if (frame.end !== null && past.samples.length > 0) return visible();
  return present ? [present] : [];
}

/** Makes an element with a class and a text. */
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Makes a list have as many items as needed, and fills each. */
function fill(list, entries, make, change) {
  while (list.children.length > entries.length) list.lastChild.remove();
  while (list.children.length < entries.length) list.append(make());
  entries.forEach((entry, at) => change(list.children[at], entry, at));
}

const setText = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};

const figureText = (rules, figure) => (figure === null ? "none" : rules.text(figure));

/** The metrics of the tiles. */
const TILES = ["operations", "bytes", "errors", "occupancy", "waiting", "wait", "work"];

function showTiles() {
  const sums = new View();
  sums.filters = view.filters;
  const samples = summed();
  fill($("tiles"), TILES, () => {
    const item = element("li");
    item.append(element("div", "name"), element("div", "figure"));
    return item;
  }, (item, metric) => {
    sums.metric = metric;
    const whole = sums.rules.zero();
    // Without the cache, which holds the rows of the chart.
    let seconds = 0;
    for (const sample of samples) {
      seconds += sample.seconds;
      const entries = sample.entries.filter((entry) => sums.admits(entry.key));
      const parts = addsUp(sums.rules) ? entries : sums.queues(sample);
      const part = sums.rules.zero();
      parts.forEach((one) => sums.rules.add(part, one));
      sums.rules.join(whole, part);
    }
    setText(item.firstChild, sums.rules.title);
    setText(item.lastChild, figureText(sums.rules, sums.rules.value(whole, seconds)));
  });
}

/** Returns the rows of the chart: those with the largest figures, and one for all others. */
function chartRows() {
  const samples = visible();
  const { rules } = view;
  const { rows } = view.sum(samples);
  const shown = rows.slice(0, COLOURS);
  const series = shown.map(({ value }, at) => ({
    value,
    colour: colour(`--c${at}`),
    points: samples.map((sample) => {
      const row = view.rows(sample).rows.get(value);
      const none = addsUp(rules) ? 0 : null;
      return [sample.time, row ? rules.value(row, sample.seconds) : none];
    }),
  }));
  if (rows.length > COLOURS && addsUp(rules)) {
    const named = new Set(shown.map(({ value }) => value));
    series.push({
      value: `${rows.length - COLOURS} others`,
      colour: colour("--other"),
      points: samples.map((sample) => {
        const others = [...view.rows(sample).rows].filter(([value]) => !named.has(value));
        const sum = others.reduce((sum, [, row]) => sum + rules.value(row, sample.seconds), 0);
        return [sample.time, sum];
      }),
    });
  }
  return series;
}

/** Draws the chart, and returns the colour of each value. */
function showChart() {
  const series = chartRows();
  const { rules } = view;
  const selection = dragged && {
    left: Math.min(dragged.from, dragged.to),
    width: Math.abs(dragged.to - dragged.from),
  };
  drawChart($("chart"), {
    series,
    range: range(),
    stacked: addsUp(rules),
    text: rules.text,
    most: rules.most,
    selection,
  });
  fill($("legend"), series, () => {
    const item = element("li");
    const space = "http://www.w3.org/2000/svg";
    const mark = document.createElementNS(space, "svg");
    const square = document.createElementNS(space, "rect");
    for (const node of [mark, square]) {
      node.setAttribute("width", "12");
      node.setAttribute("height", "12");
    }
    square.setAttribute("rx", "3");
    mark.setAttribute("aria-hidden", "true");
    mark.append(square);
    item.append(mark, element("span"));
    return item;
  }, (item, { value, colour: fillColour }) => {
    item.querySelector("rect").setAttribute("fill", fillColour);
    setText(item.lastChild, value);
  });
  const { from, to } = range();
  const figures = visible().map((sample) => view.sum([sample]).whole);
  const known = figures.filter((figure) => figure !== null);
  const extent = known.length === 0 ? "no figures yet"
    : `from ${rules.text(Math.min(...known))} to ${rules.text(Math.max(...known))}, `
      + `at the end ${rules.text(known.at(-1))}`;
  $("chart").setAttribute(
    "aria-label",
    `${rules.title} by ${view.by}, ${clockTime(from)} to ${clockTime(to)}: ${extent}`,
  );
  setText($("chart-title"), `${rules.title} over time`);
  return new Map(series.map(({ value, colour: drawn }) => [value, drawn]));
}

function showBars(colours) {
  const samples = summed();
  const { rules } = view;
  const { rows, whole, seconds } = view.sum(samples);
  const most = rules.most ?? Math.max(0, ...rows.map(({ figure }) => figure ?? 0));
  fill($("bars"), rows, () => {
    const item = element("li");
    const button = element("button");
    button.type = "button";
    const bar = element("progress");
    bar.setAttribute("aria-hidden", "true");
    button.append(element("span", "value"), bar, element("span", "figure"), element("span", "share"));
    button.addEventListener("click", () => drill(button.dataset.value));
    item.append(button);
    return item;
  }, (item, { value, figure }) => {
    const button = item.firstChild;
    const [name, bar, text, share] = button.children;
    button.dataset.value = value;
    const part = addsUp(rules) && whole > 0 ? asPercent(figure / whole) : "";
    setText(name, value);
    name.title = value;
    setText(text, figureText(rules, figure));
    setText(share, part);
    bar.style.setProperty("--bar", colours.get(value) ?? colour("--other"));
    bar.max = most || 1;
    bar.value = figure ?? 0;
    button.disabled = view.filters.length === DIMENSIONS.length;
    const label = `${view.by} ${value}: ${figureText(rules, figure)}${part && `, ${part}`}. `
      + "Break down further";
    if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
  });
  setText($("bars-title"), `${rules.title} by ${view.by}`);
  setText($("when"), whenText(samples, seconds));
  const shared = "A queue counts batches as a whole, so it counts for each value that its work has.";
  const empty = rows.length === 0 ? "No work was done in this time." : "";
  setText($("note"), empty || (addsUp(rules) ? "" : shared));
}

function whenText(samples, seconds) {
  if (samples.length === 0) return "";
  if (past.samples.length === 0) return "average since the start of the program";
  if (frame.end === null) return `average over the last ${asSeconds(seconds)}`;
  const [from, to] = [samples[0].time - samples[0].seconds, samples.at(-1).time];
  return `average from ${clockTime(from)} to ${clockTime(to)}`;
}

function showHeat() {
  const field = $("latency").value === "wait" ? "wait_seconds" : "work_seconds";
  const columns = visible().map((sample) => {
    const counts = new Map();
    for (const queue of view.queues(sample)) {
      for (const { upper, count } of queue[field].buckets) {
        counts.set(upper, (counts.get(upper) ?? 0) + count);
      }
    }
    return { time: sample.time, seconds: sample.seconds, counts };
  });
  const most = drawHeat($("heat"), { columns, range: range() });
  const joined = new Map();
  for (const { counts } of columns) {
    for (const [upper, count] of counts) joined.set(upper, (joined.get(upper) ?? 0) + count);
  }
  const [median, high] = [0.5, 0.99].map((share) => percentile(joined, share));
  const text = median === null ? "No batches in this time."
    : `Half of all batches took at most ${asSeconds(median)}, 99 % at most ${asSeconds(high)}. `
      + `The strongest colour stands for ${asNumber(most)} batches per second.`;
  setText($("heat-note"), text);
  $("heat").setAttribute("aria-label", `Heat map of latency over time. ${text}`);
}

function showCrumbs() {
  const steps = [{ text: "all work", depth: 0 }];
  view.filters.forEach(({ by, value }, at) => steps.push({ text: `${by} ${value}`, depth: at + 1 }));
  const items = steps.map(({ text, depth }) => {
    const item = element("li");
    const last = depth === view.filters.length;
    const step = element(last ? "span" : "button", "", text);
    if (last) {
      step.setAttribute("aria-current", "true");
    } else {
      step.type = "button";
      step.addEventListener("click", () => leave(depth));
    }
    item.append(step);
    return item;
  });
  $("crumbs").replaceChildren(...items);
}

function showState(state) {
  const badge = $("state");
  badge.dataset.is = state;
  const words = { live: "live", paused: "paused", lost: "connection lost", connecting: "connecting" };
  setText(badge, words[state]);
}

function showButtons() {
  const first = past.samples[0]?.time ?? 0;
  const { from, to } = range();
  const newest = past.samples.at(-1)?.time ?? 0;
  $("live").disabled = frame.end === null;
  $("later").disabled = to >= newest;
  $("earlier").disabled = past.samples.length === 0 || from <= first - 1;
  $("in").disabled = frame.span <= WINDOWS[0];
  $("out").disabled = frame.span >= WINDOWS.at(-1);
}

/** Shows everything anew, once for each picture of the screen. */
let asked = false;
function show() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    showTiles();
    showBars(showChart());
    showHeat();
    showButtons();
  });
}

/** Takes the next snapshot. */
function receive(snapshot) {
  const before = latest;
  latest = snapshot;
  setText($("program"), snapshot.program || "Broadloom");
  document.title = `${snapshot.program || "program"} · Broadloom`;
  const up = Math.floor(snapshot.uptime);
  const [hours, minutes, seconds] = [up / 3600, (up / 60) % 60, up % 60].map(Math.floor);
  const two = (number) => String(number).padStart(2, "0");
  setText($("about"), `process ${snapshot.pid}, up ${hours}:${two(minutes)}:${two(seconds)}`);
  showState(paused ? "paused" : "live");
  const change = before && between(before, snapshot);
  if (change) {
    if (paused) return;
    past.add(change);
    present = past.samples.at(-1);
  } else if (!before || before.pid !== snapshot.pid || before.uptime > snapshot.uptime) {
    past.clear();
    present = past.sample(sinceStart(snapshot));
    frame.end = null;
  }
  show();
}

function setPaused(to) {
  paused = to;
  $("pause").setAttribute("aria-pressed", String(paused));
  setText($("pause"), paused ? "Go on" : "Pause");
  if ($("state").dataset.is !== "lost") showState(paused ? "paused" : "live");
  tell(paused ? "paused" : "live again");
}

/** Breaks a bar down by the next dimension that no filter holds. */
function drill(value) {
  view.filters = [...view.filters, { by: view.by, value }];
  const held = new Set(view.filters.map(({ by }) => by));
  const at = DIMENSIONS.indexOf(view.by);
  const others = [...DIMENSIONS.slice(at + 1), ...DIMENSIONS.slice(0, at)];
  view.by = others.find((by) => !held.has(by)) ?? view.by;
  turned(`${value}, broken down by ${view.by}`);
  $("bars").querySelector("button")?.focus();
}

/** Goes back to where `depth` filters hold. */
function leave(depth) {
  if (depth < 0 || depth >= view.filters.length) return;
  view.by = view.filters[depth].by;
  view.filters = view.filters.slice(0, depth);
  turned(`broken down by ${view.by}`);
}

/** Shows a view that has changed. */
function turned(text) {
  $("by").value = view.by;
  showCrumbs();
  tell(text);
  show();
}

/** Changes the length of the window. */
function zoom(by) {
  const at = WINDOWS.findIndex((span) => span >= frame.span);
  const next = WINDOWS[Math.min(WINDOWS.length - 1, Math.max(0, (at < 0 ? WINDOWS.length : at) + by))];
  if (frame.end !== null) frame.end += (next - frame.span) / 2;
  frame.span = next;
  stayInside();
  tell(`${frame.span} seconds are shown`);
  show();
}

/** Moves the window by half of its length. */
function move(by) {
  frame.end = range().to + (by * frame.span) / 2;
  stayInside();
  show();
}

/** Keeps the window where there are samples. At the newest one, it follows the present. */
function stayInside() {
  if (frame.end === null || past.samples.length === 0) return;
  const [first, last] = [past.samples[0].time, past.samples.at(-1).time];
  frame.end = Math.max(frame.end, Math.min(last, first + frame.span / 2));
  if (frame.end >= last) frame.end = null;
}

function goLive() {
  frame.end = null;
  frame.span = 120;
  tell("the present is shown");
  show();
}

/** Has the browser save a file. */
function save(blob, ending) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = `broadloom-${view.metric}-by-${view.by}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  tell(`${link.download} was saved`);
}

/** Quotes a field of CSV (RFC 4180). */
const quoted = (field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** Returns the figures of the chart, a line for each sample, a column for each value. */
function csv() {
  const samples = visible();
  const { rules } = view;
  const values = view.sum(samples).rows.map(({ value }) => value);
  const heads = ["time", ...values.map((value) => `${value} (${rules.unit})`)];
  const lines = samples.map((sample) => {
    const { rows } = view.rows(sample);
    const figures = values.map((value) => {
      const row = rows.get(value);
      const figure = row ? rules.value(row, sample.seconds) : null;
      return figure === null ? "" : String(figure);
    });
    return [new Date(sample.time * 1000).toISOString(), ...figures];
  });
  return [heads, ...lines].map((line) => line.map(quoted).join(",") + "\r\n").join("");
}

/** Saves the charts as one picture, with their titles and the colours' names. */
function savePicture() {
  const [chart, heat] = [$("chart"), $("heat")];
  const ratio = window.devicePixelRatio || 1;
  const names = [...$("legend").children].map((item) => [
    item.querySelector("rect").getAttribute("fill"), item.lastChild.textContent,
  ]);
  const lines = Math.ceil(names.length / 3);
  const height = 40 + chart.clientHeight + 22 * lines + 36 + heat.clientHeight + 12;
  const picture = element("canvas");
  picture.width = chart.width + 32 * ratio;
  picture.height = height * ratio;
  const pen = picture.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = colour("--card");
  pen.fillRect(0, 0, picture.width, picture.height);
  const write = (text, x, y, bold) => {
    pen.font = `${bold ? "600 15px" : "13px"} system-ui, 'DejaVu Sans', sans-serif`;
    pen.fillStyle = colour("--text");
    pen.fillText(text, x, y);
  };
  const inside = view.filters.map(({ by, value }) => `, ${by} ${value}`).join("");
  write(`${$("program").textContent}: ${view.rules.title} by ${view.by}${inside}`, 16, 24, true);
  pen.drawImage(chart, 16, 36, chart.clientWidth, chart.clientHeight);
  const below = 36 + chart.clientHeight;
  names.forEach(([fillColour, name], at) => {
    const [x, y] = [16 + (at % 3) * (chart.clientWidth / 3), below + 22 * Math.floor(at / 3)];
    pen.fillStyle = fillColour;
    pen.fillRect(x, y + 4, 12, 12);
    write(name, x + 18, y + 15, false);
  });
  const under = below + 22 * lines;
  const kind = $("latency").selectedOptions[0].textContent;
  write(`Latency of batches: ${kind}`, 16, under + 24, true);
  pen.drawImage(heat, 16, under + 36, heat.clientWidth, heat.clientHeight);
  picture.toBlob((blob) => save(blob, "png"), "image/png");
}

const saveCsv = () => save(new Blob([csv()], { type: "text/csv" }), "csv");

/** What the browser remembers, if it may. */
const memory = {
  get(name) {
    try { return localStorage.getItem(name); } catch { return null; }
  },
  set(name, value) {
    try { localStorage.setItem(name, value); } catch { /* The choice lasts as long as the page. */ }
  },
};

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  setText($("theme"), theme === "dark" ? "Light" : "Dark");
  show();
}

function turnTheme() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  memory.set("broadloom-theme", theme);
  setTheme(theme);
}

function options(select, entries) {
  for (const [value, text] of entries) {
    const option = element("option", "", text);
    option.value = value;
    select.append(option);
  }
}

const KEYS = {
  m: () => $("metric").focus(),
  b: () => $("by").focus(),
  p: () => setPaused(!paused),
  c: saveCsv,
  g: savePicture,
  t: turnTheme,
  "+": () => zoom(-1),
  "=": () => zoom(-1),
  "-": () => zoom(1),
  0: goLive,
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  Backspace: () => leave(view.filters.length - 1),
  "?": () => $("help").showModal(),
};

function onKey(event) {
  const busy = event.target.closest("select, input, textarea, dialog");
  if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** Lets a drag over the chart choose a time. */
function watchDrags(chart) {
  chart.addEventListener("pointerdown", (event) => {
    chart.setPointerCapture(event.pointerId);
    dragged = { from: event.offsetX, to: event.offsetX, range: range() };
  });
  chart.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    dragged.to = event.offsetX;
    show();
  });
  chart.addEventListener("pointercancel", () => {
    dragged = null;
    show();
  });
  chart.addEventListener("pointerup", () => {
    if (!dragged) return;
    const { from, to, range: during } = dragged;
    dragged = null;
    const [one, other] = [from, to].map((x) => timeAt(chart, x, during)).sort((a, b) => a - b);
    if (Math.abs(to - from) >= 5 && other - one >= 1) {
      frame.end = other;
      frame.span = other - one;
      tell(`${clockTime(one)} to ${clockTime(other)} is shown`);
    }
    show();
  });
}

function connect() {
  const events = new EventSource(`events${location.search}`);
  events.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  events.addEventListener("error", () => {
    showState("lost");
    // The browser does not try again where the answer was no stream of events.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
  });
}

function start() {
  options($("metric"), Object.entries(METRICS).map(([name, { title }]) => [name, title]));
  options($("by"), DIMENSIONS.map((name) => [name, name]));
  $("metric").addEventListener("change", (event) => {
    view.metric = event.target.value;
    turned(`${view.rules.title} by ${view.by}`);
  });
  $("by").addEventListener("change", (event) => {
    view.by = event.target.value;
    turned(`${view.rules.title} by ${view.by}`);
  });
  $("latency").addEventListener("change", show);
  const clicks = {
    pause: KEYS.p, csv: saveCsv, png: savePicture, theme: turnTheme, keys: KEYS["?"],
    in: KEYS["+"], out: KEYS["-"], earlier: KEYS.ArrowLeft, later: KEYS.ArrowRight, live: goLive,
  };
  for (const [id, action] of Object.entries(clicks)) $(id).addEventListener("click", action);
  document.addEventListener("keydown", onKey);
  watchDrags($("chart"));
  new ResizeObserver(show).observe(document.querySelector("main"));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const wanted = () => memory.get("broadloom-theme") ?? (dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(wanted()));
  setTheme(wanted());
  showCrumbs();
  connect();
}

start();
