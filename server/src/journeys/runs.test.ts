import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { makePdf } from "#domains/documents/testing/pdf.ts";
import { upload } from "#domains/files/testing/upload.ts";
import { deployWorkflow, trigger, waitForRun } from "#domains/runs/testing/workflows.ts";
import { newId } from "#kernel/schema/id.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { expectFocusKept, expectSound, useConsole, moveTo } from "./testing.ts";

const READ = {
  id: "read",
  type: "set",
  name: "Read the order",
  config: { values: { total: "{{ trigger.input.total }}" } },
};
const DONE = { id: "done", type: "set", name: "Book it", config: { values: { booked: true } } };
const price = (expression: string) => ({
  id: "price",
  type: "transform",
  name: "Price it",
  config: { expression },
});
const BROKEN = "$number(steps.read.output.total & ' euro')";

async function failRuns(ask: Ask, name: string, count: number) {
  const nodes = [READ, price(BROKEN), DONE];
  const id = await deployWorkflow(ask, nodes, { name });
  const runIds: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { body } = await trigger(ask, id, { total: 40 + n });
    runIds.push((await waitForRun(ask, body.data.runId)).id);
  }
  return { id, runIds };
}

/** The tag in the head of a run. */
const stateOf = (page: Page, state: string) =>
  page.locator("header.page-head").getByText(state, { exact: true });

/**
 * Expects that a list response from before the end of a run, which arrives after the end event, does not show the
 * run again.
 */
async function expectOlderAnswerIgnored(
  page: Page,
  makeStale: () => Promise<{ readonly id: string; readonly end: () => Promise<unknown> }>,
): Promise<void> {
  const held: { readonly fulfil: () => Promise<void> }[] = [];
  const LISTS = /\/api\/v1\/runs\?/;
  await page.route(LISTS, async (route) => {
    const response = await route.fetch();
    held.push({ fulfil: () => route.fulfill({ response }) });
  });
  const { id, end } = await makeStale();
  await until(async () => held.length === 1);
  await end();
  await page.locator(`#row-${id}`).waitFor({ state: "detached" });
  await held[0]?.fulfil();
  // The list is read again as soon as the older response has arrived.
  await until(async () => held.length === 2);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await page.locator(`#row-${id}`).count()).toBe(0);
  await held[1]?.fulfil();
  await page.unroute(LISTS);
}

describeInBrowser("runs", () => {
  const at = useConsole();

  test("a failed run is found by its error, inspected, and retried in the fixed version", async () => {
    const ask = await at.world.member(["owner"]);
    const { id } = await failRuns(ask, "Price the orders", 1);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/runs`);
    await page.getByRole("row").first().waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Failed" }).click();
    await page.getByLabel("Text of the error").fill("number");
    await page.waitForURL(/q=number/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\/run_/);
    const panel = page.getByRole("complementary", { name: "Step" });
    await panel.getByRole("heading", { name: "Price it" }).waitFor();
    expect(await panel.locator("mark").textContent()).toContain("$number");
    await page.getByRole("application", { name: /Canvas/ }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("ArrowUp");
    await panel.getByRole("heading", { name: "Read the order" }).waitFor();
    await panel.getByText("40").first().waitFor();
    const definition = { nodes: [READ, price("steps.read.output.total * 2"), DONE] };
    expect((await ask(`PATCH /api/v1/workflows/${id}`, definition)).status).toBe(200);
    expect((await ask(`POST /api/v1/workflows/${id}/publish`, {})).status).toBe(200);
    await page.getByRole("button", { name: "Retry options" }).click();
    await page.getByRole("radio", { name: "From the failed step" }).check();
    await page.getByRole("checkbox", { name: /deployed version/ }).check();
    await page.keyboard.press("Enter");
    await stateOf(page, "Completed").waitFor();
    await page.keyboard.press("2");
    await page.getByRole("option", { name: /Book it/ }).click();
    await panel.getByText("booked").first().waitFor();
    await expectSound(visitor);
  });

  test("shows loop counts and navigates through failed items", async () => {
    const ask = await at.world.member(["owner"]);
    const body = {
      nodes: [{ ...price("$number(item)"), onError: "continue" }],
      edges: [],
    };
    const items = Array.from({ length: 40 }, (_, n) => (n % 13 === 5 ? `no ${n}` : `${n}`));
    const loop = { id: "each", type: "loop", name: "Each order", config: { items, body } };
    const id = await deployWorkflow(ask, [loop]);
    const { body: started } = await trigger(ask, id);
    const { runId } = started.data;
    await waitForRun(ask, runId);
    const visitor = await at.visit(["owner"], { dark: true });
    const { page } = visitor;
    await page.goto(`${at.origin}/runs/${runId}?step=each`);
    const panel = page.getByRole("complementary", { name: "Step" });
    const failed = panel.getByRole("list", { name: "Failed items" }).getByRole("button");
    await failed.first().waitFor();
    expect(await failed.allTextContents()).toHaveLength(3);
    await failed.nth(1).click();
    await page.waitForURL(/step=each%2Fprice&item=each%3A18/);
    await panel.getByRole("button", { name: "item 19" }).waitFor();
    await panel.getByRole("alert").waitFor();
    await expectSound(visitor);
    await page.keyboard.press("3");
    await page.getByRole("button", { name: "3 failed", exact: true }).last().click();
    expect(await page.getByRole("listbox", { name: "Steps" }).getByRole("option").count()).toBe(3);
    await expectSound(visitor);
  });

  test("many runs are retried after a count that lists the excluded ones", async () => {
    const ask = await at.world.member(["owner"]);
    const { id } = await failRuns(ask, "Bill the orders", 2);
    const good = await deployWorkflow(ask, [DONE], { name: "Greet" });
    await waitForRun(ask, (await trigger(ask, good)).body.data.runId);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/runs`);
    await page.getByRole("row").nth(2).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("toolbar", { name: "Selected runs" }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog", { name: "Retry 2 runs?" });
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain("1 The run has completed.");
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    await page.getByText(/2 runs retried/).waitFor();
    await dialog.waitFor({ state: "detached" });
    await until(async () => {
      const { body } = await ask(`GET /api/v1/audit?type=workflow.run_retried&limit=10`);
      return body.data.filter((event: any) => event.data.workflowId === id).length === 2;
    });
  });

  test("a waiting run is watched live, and cancelled after a confirmation", async () => {
    const ask = await at.world.member(["owner"]);
    const nodes = [READ, { id: "nap", type: "delay", name: "Nap", config: { ms: 600_000 } }];
    const id = await deployWorkflow(ask, nodes);
    const visitor = await at.visit(["owner"], { width: 400 });
    const { page } = visitor;
    await page.goto(`${at.origin}/runs?workflow=${id}`);
    await page.getByText("No matching runs").waitFor();
    const { body } = await trigger(ask, id, { total: 1 });
    await page.getByRole("row").first().waitFor();
    await expectSound(visitor);
    await page.getByRole("row").first().getByRole("link").click();
    await page.waitForURL(new RegExp(body.data.runId));
    await stateOf(page, "Waiting").waitFor();
    await page.getByRole("option", { name: /Nap/ }).click();
    await page.getByText("Delayed", { exact: true }).waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Cancel" }).click();
    // Enter keeps the run.
    const wayOut = page.getByRole("dialog").locator("footer button:focus");
    expect(await wayOut.textContent()).not.toBe("Cancel run");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await stateOf(page, "Cancelled").waitFor();
    // Any number of waiting runs can be cancelled with the filter of the list.
    const started = await Promise.all([1, 2, 3].map((total) => trigger(ask, id, { total })));
    await moveTo(page, `${at.origin}/runs?workflow=${id}&status=waiting`);
    await page.getByRole("row").nth(2).waitFor();
    await expectOlderAnswerIgnored(page, async () => {
      const ended = started[1]?.body.data.runId;
      await trigger(ask, id, { total: 4 });
      return { id: ended, end: () => ask(`POST /api/v1/runs/${ended}/cancel`, {}) };
    });
    await page.getByRole("button", { name: "Cancel all…" }).click();
    await page.getByRole("dialog", { name: "Cancel 3 runs?" }).waitFor();
    await page.getByRole("button", { name: "Cancel 3" }).click();
    await page.getByText("3 runs cancelled.").waitFor();
    await page.getByText("No matching runs").waitFor();
  });

  test("files of a run are previewed next to it, only as text", async () => {
    const ask = await at.world.member(["owner"]);
    const write = (as: string, data: unknown) => ({
      id: as,
      type: "file.write",
      config: { as, name: `${as}.${as === "text" ? "md" : as}`, data },
    });
    const rows = Array.from({ length: 250 }, (_, n) => ({ order: n, note: `a "b", ${n}` }));
    const made = [
      write("csv", rows),
      write("xlsx", rows),
      write("json", { deep: [{ total: 42 }] }),
      write("html", [{ a: "<img src=x onerror=alert(1)>" }]),
      write("text", "# Heading\n".repeat(20_000)),
    ];
    const gone = { $file: newId("file"), name: "gone.pdf", mediaType: "application/pdf", size: 9 };
    const handles = made.map(({ id }) => [id, `{{ steps.${id}.output }}`] as const);
    const values = { ...Object.fromEntries(handles), paper: "{{ trigger.input.paper }}", gone };
    const id = await deployWorkflow(ask, [...made, { id: "all", type: "set", config: { values } }]);
    const { body } = await upload(at.world, ask, makePdf("Invoice 42"), { name: "paper.pdf" });
    const { name, mediaType, size } = body.data;
    const paper = { $file: body.data.id, name, mediaType, size };
    const started = await trigger(ask, id, { paper });
    const run = await waitForRun(ask, started.body.data.runId);
    expect(run.error).toBeNull();
    const visitor = await at.visitAs(ask.token);
    const { page } = visitor;
    await page.goto(`${at.origin}/runs/${run.id}?step=all`);
    const panel = page.getByRole("complementary", { name: "Step" });
    await panel.getByText("deleted", { exact: true }).first().waitFor();
    const dialog = page.getByRole("dialog");
    const look = async (file: string, ...words: readonly string[]) => {
      await panel.getByRole("button", { name: file, exact: true }).first().click();
      await dialog.getByRole("heading", { name: file }).waitFor();
      for (const one of words) await dialog.getByText(one).first().waitFor();
    };
    const leave = async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await expectFocusKept(page, ".file-chip button");
    };
    await look("csv.csv", "Not shown: 50 more rows.");
    await dialog.getByRole("columnheader", { name: "note" }).waitFor();
    await dialog.getByRole("cell", { name: 'a "b", 7', exact: true }).waitFor();
    await expectSound(visitor);
    await leave();
    await look("xlsx.xlsx", "first 100 rows of the first sheet");
    await leave();
    await look("json.json", "42");
    await leave();
    await look("html.html", "onerror=alert(1)");
    await leave();
    await look("text.md", "first 64 KB shown");
    expect((await dialog.locator("pre").textContent())?.length).toBe(65_536);
    await leave();
    await look("paper.pdf", "Invoice 42");
    await leave();
  });

  test("a ticket links to the run that created it, and the run to its ticket", async () => {
    const ask = await at.world.member(["owner"]);
    const config = { operation: "create", kind: "incident", fields: { title: "Paper is out" } };
    const id = await deployWorkflow(
      ask,
      [{ id: "raise", type: "ticket", name: "Open a ticket", config }],
      {
        name: "Raise a ticket",
      },
    );
    const runId = (await trigger(ask, id)).body.data.runId;
    await waitForRun(ask, runId);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/runs/${runId}`);
    await page.getByRole("link", { name: "Why?" }).click();
    const tree = page.getByRole("tree", { name: "Causes and effects" });
    await tree.getByRole("treeitem", { name: /Incident created/ }).waitFor();
    await page.keyboard.press("j");
    await page.getByText("by step Open a ticket").waitFor();
    const side = page.getByRole("complementary", { name: "Details" });
    await side.getByRole("link", { name: /^INC\d+ Paper is out$/ }).waitFor();
    expect(await side.innerText()).not.toMatch(/\b(inc|usr|evt|run|wf)_/);
    await expectSound(visitor);
    await page.getByRole("link", { name: /Show causes of INC/ }).click();
    await page.waitForURL(/causes\/inc_/);
    await page.getByRole("button", { name: "Causes" }).click();
    await tree.getByRole("treeitem", { name: /Raise a ticket/ }).click();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/runs/${runId}`));
  });

  test("a read-only member is offered no action that would be rejected", async () => {
    const ask = await at.world.member(["owner"]);
    const { runIds } = await failRuns(ask, "Look only", 1);
    const visitor = await at.visit(["viewer"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/runs`);
    await page.getByRole("row").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    const bar = page.getByRole("toolbar", { name: "Selected runs" });
    expect(await bar.getByRole("button", { name: "Retry" }).isDisabled()).toBe(true);
    await page.goto(`${at.origin}/runs/${runIds[0]}`);
    const retry = page.getByRole("button", { name: "Retry", exact: true });
    await retry.waitFor();
    expect(await retry.isDisabled()).toBe(true);
    expect(await retry.getAttribute("title")).toBe("You don't have permission to start workflows.");
    await expectSound(visitor);
  });

  test("a backfill starts runs for past events, and a gate rejects a deployment that changes values", async () => {
    const ask = await at.world.member(["owner"]);
    const send = (n: number) =>
      ask("POST /api/v1/events/topics/orders/publish", { type: "orders.paid", payload: { n } });
    for (const n of [1, 2]) expect((await send(n)).status).toBeLessThan(300);
    // The preview counts only events that open transactions can no longer precede.
    await at.world.settled();
    const made = await ask("POST /api/v1/workflows", {
      name: "Paid orders",
      trigger: { type: "event_bus", topic: "orders", eventType: "orders.paid" },
      nodes: [DONE],
      edges: [],
    });
    const { id } = made.body.data;
    expect((await ask(`POST /api/v1/workflows/${id}/publish`)).status).toBe(200);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows/${id}`);
    await page.getByRole("application", { name: /^Canvas/ }).waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Backfill…" }).click();
    await page.getByText(/^2 runs in production/).waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Start 2 runs" }).click();
    await page.getByText(/^2 runs started, done/).waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByRole("application", { name: /^Canvas/ }).focus();
    await page.keyboard.press("d");
    await page.getByRole("switch", { name: /^Reject deployments/ }).check();
    await page.getByRole("checkbox", { name: "different values" }).check();
    await page.getByRole("button", { name: "Deploy to production" }).click();
    await page.getByText(/deployed to production$/).waitFor();
    const { body } = await ask(`GET /api/v1/workflows/${id}/publish`);
    expect(body.data.rehearsalGate).toEqual({ allow: ["other_output"] });
  });
});
