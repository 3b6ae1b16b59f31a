import { expect, test } from "vitest";
import { deployWorkflow, waitForRun } from "#domains/runs/testing/workflows.ts";
import { publish } from "#domains/runs/testing/triggers.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, expectSoundInEveryLook, useConsole, pressAndConfirm } from "./testing.ts";

describeInBrowser("events", () => {
  const at = useConsole();

  test("shows new events live, finds events by text, and links to effects", async () => {
    const ask = await at.world.member(["owner"]);
    const tell = {
      id: "tell",
      type: "ticket",
      name: "Report it",
      config: {
        operation: "create",
        kind: "incident",
        fields: { title: "Parcel is lost", description: "" },
      },
    };
    await deployWorkflow(ask, [tell], {
      name: "Look for the parcel",
      trigger: { type: "event_bus", topic: "parcels" },
    });
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/events`);
    const list = page.getByRole("grid", { name: "Events" });
    await list.getByRole("row").first().waitFor();
    const tail = page.getByRole("main").getByRole("status").first();
    await tail.getByText("Live").waitFor();
    await publish(ask, "parcels", { type: "parcel.lost", payload: { parcel: "needle-4711" } });
    await list.getByRole("row", { name: /run_completed.*Look for the parcel/ }).waitFor();
    await expectSoundInEveryLook(visitor);
    await page.keyboard.press("p");
    await tail.getByText("Paused").waitFor();
    await ask("POST /api/v1/itsm/incidents", { title: "Kept back" });
    await page.getByRole("button", { name: /new event/ }).waitFor();
    expect(await list.getByRole("row", { name: /Kept back/ }).count()).toBe(0);
    await page.keyboard.press("p");
    await list.getByRole("row", { name: /incident.created.*Kept back/ }).waitFor();
    await page.keyboard.press("f");
    await page.keyboard.type("needle-4711");
    await page.waitForURL(/q=needle-4711/);
    await until(async () => (await list.getByRole("row").count()) === 1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    const side = page.getByRole("complementary", { name: "Event" });
    await side.getByText("needle-4711").waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/causes\/evt_/);
    const tree = page.getByRole("tree", { name: "Causes and effects" });
    await tree.getByRole("treeitem", { name: /Look for the parcel/ }).waitFor();
    await tree.getByRole("treeitem", { name: /Incident created/ }).waitFor();
  });

  test("a message is published with a form, its subscribers are shown, and a dead letter is retried", async () => {
    const ask = await at.world.member(["owner"]);
    const id = await deployWorkflow(ask, [], {
      name: "Thank the customer",
      trigger: { type: "event_bus", topic: "thanks" },
    });
    await publish(ask, "thanks", { type: "thanks.due", payload: { to: "Ada" } });
    await at.world.sql(
      `insert into parked_events (reader, epoch, xid, seq, workspace_id, environment, error, parked_at)
       select 'bus.count_topics', epoch, xid, seq, workspace_id, environment, 'The disk was full.', now()
         from events where topic = 'thanks' order by epoch, xid, seq limit 1`,
    );
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/events/topics?topic=thanks`);
    const side = page.getByRole("complementary", { name: "Topic" });
    await side.getByRole("link", { name: "Thank the customer" }).waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog", { name: "Publish message" });
    await dialog.getByRole("textbox", { name: /^to/i }).fill("Grace");
    await expectSound(visitor);
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.waitForURL(/topic=thanks&open=evt_/);
    await page.getByRole("complementary", { name: "Event" }).getByText("Grace").waitFor();
    const runs = await until(async () => {
      const { body } = await ask(`GET /api/v1/runs?workflowId=${id}`);
      return body.data.length === 2 && body.data;
    });
    for (const run of runs) await waitForRun(ask, run.id);
    await page.getByRole("link", { name: "Dead letters" }).click();
    await page.getByText("The disk was full.").waitFor();
    await page.keyboard.press("j");
    await expectSound(visitor);
    await pressAndConfirm(page, "r");
    await page.getByText("No dead letters").waitFor();
  });
});
