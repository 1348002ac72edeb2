// The HTML report in headless Chromium: it opens without a word on the console, filters, shows a
// case, keeps markup text, and is usable by keyboard, on a phone and in the dark.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { MARKUP, make } from "./reports.mjs";

let browser;
let reports;

before(async () => {
  reports = make();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(async () => {
  await browser?.close();
  reports?.remove();
});

// Opens a page, and fails if it says anything on the console, asks the network or runs markup.
const visit = async (name, options, check, hash = "") => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) said.push(request.url());
  });
  await page.goto(reports.url(name) + hash);
  await page.locator("#search:enabled").waitFor();
  await check(page);
  assert.equal(await page.evaluate(() => window.ran), undefined, "markup of the data ran");
  assert.deepEqual(said, []);
  await page.close();
};
const ENGINES = 7;
const phone = { viewport: { width: 390, height: 844 } };
// Opens every case of the cell that is open.
const expand = async (page) => {
  for (const summary of await page.locator(".cases summary").all()) await summary.click();
  await page.locator(".cases li:last-child .case").waitFor();
};
const shown = (page) => page.locator("tr[data-op]:visible").count();

test("a cell opens its cases, and a case its values", () => visit("one.html", {}, async (page) => {
  const row = page.locator("tr[data-op]", { has: page.getByRole("rowheader", { name: "sum", exact: true }) });
  const cell = row.getByRole("button");
  assert.equal(await cell.getAttribute("aria-expanded"), "false");
  await cell.click();
  assert.equal(await cell.getAttribute("aria-expanded"), "true");
  await page.getByText("identical to PyTorch’s, to the bit").waitFor();
  const details = page.locator("details", { hasText: "reduce/sum/dim1" }).first();
  await details.locator("summary").click();
  await details.getByRole("columnheader", { name: "float64 truth" }).waitFor();
  assert.match(await details.innerText(), /compare explain reduce\/sum\/dim1 --engine native/);
  assert.deepEqual(await details.locator("tbody tr").first().locator("td").allInnerTexts(), ["[0]", "3.0", "3.0", "3.0"]);
  await cell.click();
  assert.equal(await page.locator(".detail").count(), 0);
}));

test("search and filters narrow the ops", () => visit("many.html", {}, async (page) => {
  const all = await shown(page);
  await page.getByRole("searchbox").fill("reduce/sum/dim1");
  assert.equal(await shown(page), 1);
  await page.getByRole("searchbox").fill("no such case");
  assert.equal(await shown(page), 0);
  await page.getByRole("button", { name: "Show everything" }).click();
  assert.equal(await shown(page), all);
  await page.getByRole("button", { name: "Diverge", exact: true }).click();
  const diverging = await shown(page);
  assert.ok(diverging > 0 && diverging < all, `${diverging} of ${all}`);
  assert.match(await page.getByRole("status").innerText(), new RegExp(`^${diverging} ops, `));
  await page.locator("button.cell.new").first().click();
  for (const chip of await page.locator(".chip").allInnerTexts()) assert.notEqual(chip, "parity");
}));

test("engines stand side by side, with histograms and known reasons", () => visit("many.html", {}, async (page) => {
  assert.equal(await page.getByRole("article").count(), ENGINES);
  assert.equal(await page.locator("thead th").count(), 3 + ENGINES);
  await page.getByRole("searchbox").fill("differ reduce/sum");
  await page.locator("button.cell.new:visible").first().click();
  assert.match(await page.locator(".histogram title").textContent(), /^0 ulp: [\d,]+; 1 ulp: /);
  await expand(page);
  assert.ok(await page.locator(".values tr.differs").count() > 0);
  const details = page.locator(".detail");
  assert.match(await details.innerText(), /against the truth\s+[\d,]+ identical/);
  assert.match(await details.innerText(), /Against the float64 truth: .*× (closer|further) than PyTorch/);
}));

test("one engine can be looked at alone", () => visit("many.html", {}, async (page) => {
  await page.getByRole("combobox", { name: "Engine" }).selectOption("third");
  assert.equal(await page.locator("thead th:visible").count(), 3 + 1);
  await page.getByRole("button", { name: "Known", exact: true }).click();
  const cells = page.locator("td.on:visible");
  assert.equal(await cells.count(), await shown(page));
  await cells.first().getByRole("button").click();
  for (const chip of await page.locator(".chip").all()) assert.match(await chip.getAttribute("class"), /known/);
}));

test("a reason opens its cases, and a case's link the case", () => visit("many.html", {}, async (page) => {
  const engine = page.locator(".of-engine", { hasText: "third" });
  await engine.locator("summary").first().click();
  await engine.getByText("Sums in another order than PyTorch does.").waitFor();
  await engine.locator("[data-entries] summary").first().click();
  const link = engine.getByRole("link").first();
  const id = await link.innerText();
  await link.click();
  const details = page.locator(".cases details[open]");
  await details.getByText("Known: Sums in another order than PyTorch does.").waitFor();
  assert.equal(await details.locator("summary .mono").innerText(), id);
  assert.match(await page.locator(".detail h3").innerText(), / on third$/);
  assert.ok(await details.locator("summary").evaluate((node) => node === document.activeElement));
}));

test("a browser that cannot unpack the cases says so and shows the scoreboard", async () => {
  const page = await browser.newPage();
  await page.addInitScript(() => { delete window.DecompressionStream; });
  await page.goto(reports.url("many.html"));
  await page.getByRole("alert").waitFor();
  assert.ok(await page.locator("tr[data-op]:visible").count() > 10);
  assert.ok(await page.locator("button.cell").first().isDisabled());
  await page.close();
});

test("the page says what it leaves out", () => visit("many.html", {}, async (page) => {
  assert.match(await page.locator("#left-out").innerText(), /^Of each tensor the page shows 24 elements/);
}));

test("markup in names, ids, classes and messages stays text", () => visit("many.html", {}, async (page) => {
  await page.locator(`button.cell.new`).first().click();
  await expand(page);
  await page.getByText(`compare explain ${MARKUP}`).first().waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("script:not([type='application/octet-stream'])").count(), 1);
}));

test("a script that got into the page all the same would not run", async () => {
  const page = await browser.newPage();
  await page.goto(reports.url("one.html"));
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = 1";
    const button = document.createElement("button");
    button.setAttribute("onclick", "window.ran = 1");
    document.body.append(script, button);
    button.click();
  });
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await page.close();
});

test("the keyboard reaches everything", () => visit("one.html", {}, async (page) => {
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.keyboard.type("reduce/sum/dim1");
  const cell = page.locator("button.cell:visible").first();
  while (!(await cell.evaluate((node) => node === document.activeElement))) await page.keyboard.press("Tab");
  const outline = await cell.evaluate((node) => getComputedStyle(node).outlineStyle);
  assert.equal(outline, "solid");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".cases details[open] .case").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".detail").count(), 0);
  assert.ok(await cell.evaluate((node) => node === document.activeElement));
}));

test("a link to a case opens it", () => visit("one.html", {}, async (page) => {
  await page.locator("details[open]", { hasText: "reduce/sum/dim1" }).waitFor();
}, "#reduce/sum/dim1"));

for (const width of [480, 768, 1024, 1100, 1280, 1440]) {
  test(`many engines fit ${width} pixels`, () => visit("many.html", { viewport: { width, height: 900 } }, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.locator("button.cell.new").first().click();
    await page.locator(".cases summary").first().click();
    await page.locator(".case").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }));
}

for (const name of ["one.html", "many.html"]) {
  test(`${name} fits a phone`, () => visit(name, phone, async (page) => {
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits());
    await page.locator("button.cell").nth(1).click();
    await page.locator(".cases summary").first().click();
    await page.locator(".case").waitFor();
    assert.ok(await fits());
    const box = await page.locator("button.cell").first().boundingBox();
    assert.ok(box.height >= 32 && box.width >= 44, JSON.stringify(box));
  }));
}

// Contrast of text and background by WCAG 2, which asks for 4.5.
const contrast = (foreground, background) => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((part) => {
      const x = part / 255;
      return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(foreground), light(background)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};

for (const colorScheme of ["light", "dark"]) {
  test(`text is readable in a ${colorScheme} scheme`, () => visit("many.html", { colorScheme }, async (page) => {
    await page.locator("button.cell.new").first().click();
    const pairs = await page.evaluate(() => {
      const ground = (node) => {
        for (; node; node = node.parentElement) {
          const color = getComputedStyle(node).backgroundColor;
          if (color !== "rgba(0, 0, 0, 0)") return color;
        }
        return "rgb(255, 255, 255)";
      };
      const nodes = document.querySelectorAll("h1, .quiet, .verdict, .counts dt, .cell .what, .cell .more, .chip, .said, .filters button, .classes li");
      return [...nodes].map((node) => [node.className, getComputedStyle(node).color, ground(node)]);
    });
    assert.ok(pairs.length > 50);
    for (const [name, color, ground] of pairs) {
      assert.ok(contrast(color, ground) >= 4.5, `${name}: ${color} on ${ground}: ${contrast(color, ground)}`);
    }
    const [, , paper] = pairs[0];
    assert.equal(contrast("rgb(0, 0, 0)", paper) > 10, colorScheme === "light");
  }));
}
