"""Checks the page in a browser: crates/metrics/check runs this.

The page gets two kinds of events: those of a server, and those that this script hands it one by
one, so that figures are known and thousands of updates take seconds.
"""

import csv
import io
import json
import math
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

SERVER, BROWSER, PICTURES = sys.argv[1], sys.argv[2], Path(sys.argv[3])

# Milliseconds for what a browser does at once where it has a core of its own.
PATIENCE = 120_000

# Events that the script hands to the page in place of a server's.
FED = """
window.EventSource = class extends EventTarget {
  constructor() { super(); window.source = this; this.readyState = 1; }
};
window.feed = (snapshot) => window.source.dispatchEvent(
  new MessageEvent("message", { data: JSON.stringify(snapshot) }));
"""

# The next figures of a program, from those of another second.
LATER = """([snapshot, seconds]) => {
  const next = structuredClone(snapshot);
  next.time += seconds;
  next.uptime += seconds;
  for (const series of next.series) {
    const rate = 1000 * (1 + next.series.indexOf(series));
    series.operations += rate * seconds;
    series.bytes += rate * seconds * 512;
  }
  for (const queue of next.queues) {
    queue.lanes_used += 48 * seconds;
    queue.lanes_offered += 64 * seconds;
    for (const field of ["batch_size", "wait_seconds", "work_seconds"]) {
      for (const bucket of queue[field].buckets) bucket.count += seconds;
    }
  }
  return next;
}"""

# Hands the page so many updates, a second apart, within one call: a call takes longer than the page
# needs for an update. If queues are to come and go, the oldest queue ends from time to time, and a
# new one begins.
FEED = """async ([snapshot, count, later, comeAndGo]) => {
  const next = eval(later);
  for (let at = 0; at < count; at += 1) {
    snapshot = next([snapshot, 1]);
    if (comeAndGo && at % 10 === 0) {
      const name = `queue-pair-${Math.round(snapshot.uptime)}`;
      snapshot.series[0].queue = name;
      snapshot.queues[0].name = name;
    }
    feed(snapshot);
    if (at % 20 === 0) await new Promise(requestAnimationFrame);
  }
  return snapshot;
}"""


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def snapshot():
    with urllib.request.urlopen(SERVER + "snapshot.json") as answer:
        return json.load(answer)


def feed_many(page, now, count, come_and_go=False):
    """Hands the page updates after a snapshot, and returns the last of them."""
    last = page.evaluate(FEED, [now, count, LATER, come_and_go])
    settle(page)
    return last


def bars(page):
    """Returns the bars: value, figure and share."""
    read = "rows => rows.map(row => [...row.querySelectorAll('span')].map(one => one.textContent))"
    return page.locator("#bars button").evaluate_all(read)


def settle(page):
    """Waits until the page has shown what it was told."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def new_page(browser, **settings):
    page = browser.new_page(viewport={"width": 1280, "height": 1180}, **settings)
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: check(False, f"the script failed: {error}"))
    page.foreign = []
    page.on("request", lambda request: page.foreign.append(request.url))
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    return page


def fed_page(browser, **settings):
    """Opens a page that has got two snapshots, a second apart."""
    page = new_page(browser, **settings)
    page.add_init_script(FED)
    page.goto(SERVER)
    first = snapshot()
    page.evaluate("feed", first)
    settle(page)
    expect(page.locator("#when")).to_have_text("average since the start of the program")
    second = page.evaluate(LATER, [first, 1])
    page.evaluate("feed", second)
    settle(page)
    return page, first, second


def check_server(browser):
    """Checks what the server sends, how soon, and that nothing else is asked for."""
    page = new_page(browser)
    page.goto(SERVER)
    expect(page.locator("#state")).to_have_text("live")
    expect(page.locator("#program")).to_have_text("gateway")
    expect(page.locator("#when")).to_contain_text("average over the last")
    # The elements are there before they are painted.
    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    paint = page.wait_for_function(painted).json_value()
    print(f"first paint after {paint:.0f} ms")
    check(all(url.startswith((SERVER, "data:")) for url in page.foreign), page.foreign)
    check(page.complaints == [], page.complaints)
    return page


def check_breakdown(browser):
    """Breaks down, drills, goes back, and compares the figures with the snapshots' differences."""
    page, first, second = fed_page(browser)
    expected = {}
    for before, after in zip(first["series"], second["series"]):
        name = after["algorithm"]
        expected[name] = expected.get(name, 0) + after["operations"] - before["operations"]
    rows = bars(page)
    check({row[0] for row in rows} == set(expected), rows)
    whole = sum(expected.values())
    for value, figure, share in rows:
        check(share == f"{expected[value] / whole * 100:.1f} %", (value, share))
        check(figure.endswith("k/s"), figure)
        check(math.isclose(float(figure.split()[0]), expected[value] / 1000, rel_tol=0.006), figure)
    order = [expected[row[0]] for row in rows]
    check(order == sorted(order, reverse=True), "the largest bar comes first")
    # Into one algorithm, by label, and into a label whose name is no markup.
    page.select_option("#by", "label")
    settle(page)
    check('<b>&"api"' in [row[0] for row in bars(page)], bars(page))
    check(page.locator("#bars b").count() == 0, "a label is text")
    page.select_option("#by", "algorithm")
    page.get_by_role("button", name="algorithm aes-128-gcm:").click()
    settle(page)
    expect(page.locator("#by")).to_have_value("direction")
    check({row[0] for row in bars(page)} == {"encrypt", "decrypt"}, bars(page))
    page.get_by_role("button", name="direction encrypt:").press("Enter")
    settle(page)
    expect(page.locator("#crumbs")).to_have_text("all workalgorithm aes-128-gcmdirection encrypt")
    expect(page.locator("#by")).to_have_value("provider")
    page.keyboard.press("Backspace")
    settle(page)
    expect(page.locator("#by")).to_have_value("direction")
    page.get_by_role("button", name="all work").click()
    settle(page)
    check(len(bars(page)) == len(expected), bars(page))
    # Every metric can be broken down by everything.
    metrics = page.locator("#metric option").evaluate_all("all => all.map(one => one.value)")
    keys = page.locator("#by option").evaluate_all("all => all.map(one => one.value)")
    check(len(metrics) == 11 and len(keys) == 8, (metrics, keys))
    for metric in metrics:
        for key in keys:
            page.select_option("#metric", metric)
            page.select_option("#by", key)
            settle(page)
            check(len(bars(page)) > 0, f"{metric} by {key}")
    page.select_option("#metric", "occupancy")
    page.select_option("#by", "queue")
    settle(page)
    check({row[1] for row in bars(page)} == {"75.0 %"}, bars(page))
    check(page.complaints == [], page.complaints)
    page.close()


def check_ended(browser):
    """A queue that ends leaves its counters to another, which must not look like work."""
    page, _, second = fed_page(browser)
    tile = page.locator("#tiles .figure").first
    # The twelve series do 1,000 to 12,000 operations a second.
    expect(tile).to_have_text("78.0 k/s")
    # A quotient of times that are rounded is a whole number all the same.
    check(page.evaluate("[4, 4 * (1 + 1e-8), 4.5].map(asNumber)") == ["4", "4", "4.50"], "numbers")
    later = page.evaluate(LATER, [second, 1])
    for series in later["series"]:
        if series["queue"] == "worker-1":
            series["queue"] = "ended"
    later["queues"] = [queue for queue in later["queues"] if queue["name"] != "worker-1"]
    page.evaluate("feed", later)
    settle(page)
    expect(tile).to_have_text("78.0 k/s")
    page.select_option("#by", "queue")
    settle(page)
    check("ended" in [row[0] for row in bars(page)], bars(page))
    page.close()


def check_time(browser):
    """Pauses, zooms by keys, buttons and a drag, and goes back to the present."""
    page, _, now = fed_page(browser)
    now = feed_many(page, now, 200)
    label = page.locator("#chart").get_attribute("aria-label")
    page.keyboard.press("p")
    expect(page.locator("#state")).to_have_text("paused")
    expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
    later = page.evaluate(LATER, [now, 1])
    page.evaluate("feed", later)
    settle(page)
    check(page.locator("#chart").get_attribute("aria-label") == label, "a pause changes nothing")
    page.get_by_role("button", name="Go on").click()
    page.evaluate("feed", page.evaluate(LATER, [later, 1]))
    settle(page)
    check(page.locator("#chart").get_attribute("aria-label") != label, "it goes on")
    box = page.locator("#chart").bounding_box()
    page.mouse.move(box["x"] + 400, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 700, box["y"] + 100, steps=5)
    page.screenshot(path=PICTURES / "drag.png")
    page.mouse.up()
    settle(page)
    expect(page.locator("#when")).to_contain_text("average from")
    check(page.locator("#live").is_enabled(), "there is a way back")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("-")
    settle(page)
    expect(page.locator("#when")).to_contain_text("average from")
    page.keyboard.press("0")
    settle(page)
    expect(page.locator("#when")).to_contain_text("average over the last")
    page.close()


def check_export(browser):
    """Saves figures and a picture."""
    page, first, second = fed_page(browser)
    page.select_option("#metric", "bytes")
    page.select_option("#by", "label")
    settle(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save CSV").click()
    check(download.value.suggested_filename == "broadloom-bytes-by-label.csv", "a name")
    text = Path(download.value.path()).read_text()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    check(len(rows) == 2 and rows[0][0] == "time", rows)
    check('<b>&"api" (bytes per second)' in rows[0], rows[0])
    expected = {}
    for before, after in zip(first["series"], second["series"]):
        name = after["label"] or "-"
        expected[name] = expected.get(name, 0) + after["bytes"] - before["bytes"]
    told = {head.removesuffix(" (bytes per second)"): float(value)
            for head, value in zip(rows[0][1:], rows[1][1:])}
    check(told.keys() == expected.keys(), told)
    for name, value in told.items():
        check(math.isclose(value, expected[name], rel_tol=1e-6), (name, value, expected[name]))
    with page.expect_download() as download:
        page.keyboard.press("g")
    picture = Path(download.value.path()).read_bytes()
    check(picture.startswith(b"\x89PNG\r\n") and len(picture) > 10_000, len(picture))
    (PICTURES / "saved.png").write_bytes(picture)
    page.close()


def check_names(browser):
    """Every control has a name, and everything is reached by the keyboard."""
    page, _, _ = fed_page(browser)
    tree = page.locator("body").aria_snapshot()
    for part in [
        'combobox "Metric"', 'combobox "broken down by"', 'combobox "Latency of batches"', 'button "Pause"',
        'navigation "What is broken down"', 'list "Sums over all work"', 'img "Operations by',
        'img "Heat map of latency', 'heading "Latency of batches"', 'group "Time"',
        'button "algorithm hmac-sha1:',
    ]:
        check(part in tree, f"no {part} in {tree}")
    unnamed = page.locator("button, select, canvas").evaluate_all(
        "all => all.filter(one => !(one.ariaLabel || one.getAttribute('aria-labelledby')"
        " || one.textContent.trim() || one.labels?.length)).map(one => one.outerHTML)"
    )
    check(unnamed == [], unnamed)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.ariaLabel"))
    for control in ["pause", "csv", "png", "theme", "keys", "metric", "by", "in", "latency"]:
        check(control in reached, f"{control} in {reached}")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    contrast = page.evaluate(CONTRAST)
    check(contrast >= 4.5, f"text has a contrast of {contrast:.1f}")
    page.keyboard.press("t")
    settle(page)
    contrast = page.evaluate(CONTRAST)
    check(contrast >= 4.5, f"text has a contrast of {contrast:.1f} in the other theme")
    page.close()


# The least contrast of a text with what is behind it (WCAG 2.2).
CONTRAST = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (text) => {
    const [red, green, blue] = parts(text).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const { backgroundColor } = getComputedStyle(node);
      if (parts(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [...document.querySelectorAll("h1, h2, span, div, li, p, label, button:enabled")]
    .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3
      && child.textContent.trim() && node.checkVisibility()));
  return Math.min(...texts.map((node) => {
    const [one, other] = [light(getComputedStyle(node).color), light(behind(node))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }));
}"""


def check_memory(browser):
    """Feeds 10,000 updates, with queues that come and go, and compares the heaps."""
    page, _, now = fed_page(browser)
    devtools = page.context.new_cdp_session(page)

    def heap():
        # What is only just unused may stay for another collection.
        sizes = []
        for _ in range(3):
            devtools.send("HeapProfiler.collectGarbage")
            sizes.append(devtools.send("Runtime.getHeapUsage")["usedSize"])
        return min(sizes)

    now = feed_many(page, now, 1000, come_and_go=True)
    early = heap()
    nodes = page.evaluate("document.querySelectorAll('*').length")
    feed_many(page, now, 9000, come_and_go=True)
    late = heap()
    print(f"heap after 1,000 updates {early / 1e6:.1f} MB, after 10,000 {late / 1e6:.1f} MB")
    check(late < early * 1.1, "memory is flat")
    check(page.evaluate("document.querySelectorAll('*').length") <= nodes + 40, "so are elements")
    kept, keys = page.evaluate("[past.samples.length, knownKeys.size]")
    check(kept == 600 and keys < 200, (kept, keys))
    page.close()


def check_loss(browser):
    """Says that the connection is lost, and takes another process for another history."""
    page, _, second = fed_page(browser)
    page.evaluate("source.dispatchEvent(new Event('error'))")
    expect(page.locator("#state")).to_have_text("connection lost")
    other = dict(second, pid=7, uptime=1.0, program="another")
    page.evaluate("feed", other)
    settle(page)
    expect(page.locator("#state")).to_have_text("live")
    expect(page.locator("#program")).to_have_text("another")
    check(page.evaluate("past.samples.length") == 0, "another process has another history")
    page.close()


def take_pictures(browser):
    """Takes pictures for people to look at."""
    for scheme in ["light", "dark"]:
        for width, height in [(1280, 1180), (420, 1500)]:
            page, _, now = fed_page(browser, color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            feed_many(page, now, 100)
            check(page.evaluate("document.documentElement.dataset.theme") == scheme, scheme)
            overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(overflow <= 0, f"the page is {overflow} pixels too wide at {width}")
            page.screenshot(path=PICTURES / f"{scheme}-{width}.png")
            page.close()
    page = check_server(browser)
    page.wait_for_timeout(3000)
    page.screenshot(path=PICTURES / "server.png")
    page.close()


expect.set_options(timeout=PATIENCE)
with sync_playwright() as playwright:
    chromium = playwright.chromium.launch(
        executable_path=BROWSER, args=["--no-sandbox"], timeout=PATIENCE
    )
    for part in [
        check_breakdown, check_ended, check_time, check_export, check_names, check_loss,
        check_memory, take_pictures,
    ]:
        start = time.monotonic()
        part(chromium)
        print(f"{part.__name__}: good, {time.monotonic() - start:.1f} s", flush=True)
    chromium.close()
