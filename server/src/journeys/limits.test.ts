import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { useConsole } from "./testing.ts";

describeInBrowser("permissions and stopped workflows", () => {
  const at = useConsole();

  test("Home of a member who may only read tables shows no error, and the header shows no stream state", async () => {
    const owner = await at.world.member(["owner"]);
    const role = await owner("POST /api/v1/settings/roles", {
      name: "Contractor",
      permissions: ["tables:read", "records:read"],
    });
    const { page } = await at.visit([role.body.data.id]);
    await page.goto(`${at.origin}/`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("No changes.").waitFor();
    expect(await page.getByText("approvals:decide").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.locator(".live-tag").waitFor({ state: "detached" });
  });

  test("user fields explain missing options", async () => {
    const owner = await at.world.member(["owner"]);
    const role = await owner("POST /api/v1/settings/roles", {
      name: "Dispatcher",
      permissions: ["incidents:read", "incidents:write", "desk:read", "views:own"],
    });
    expect(role.status).toBe(201);
    const made = await owner("POST /api/v1/itsm/incidents", { title: "No tone" });
    const { page } = await at.visit([role.body.data.id]);
    await page.goto(`${at.origin}/desk/incidents/${made.body.data.number}`);
    await page.getByRole("button", { name: "Add watcher" }).click();
    await page.getByRole("combobox", { name: "Person" }).click();
    await page.getByText("You don’t have permission to view users.").waitFor();
  });

  test("a workflow whose deployer left is shown as stopped in the list, in the editor and on Home", async () => {
    const [owner, builder] = [await at.world.member(["owner"]), await at.world.member(["builder"])];
    const made = await builder("POST /api/v1/workflows", {
      name: "Send the figures",
      trigger: { type: "schedule", cron: "0 6 * * *" },
      nodes: [{ id: "say", type: "set", config: { values: { x: 1 } } }],
      edges: [],
    });
    const { id } = made.body.data;
    expect((await builder(`POST /api/v1/workflows/${id}/publish`)).status).toBe(200);
    await owner(`DELETE /api/v1/settings/users/${builder.userId}`);
    const read = async () => (await owner(`GET /api/v1/workflows/${id}`)).body.data;
    const { name } = (await read()).environments.production.deployedBy;
    const words = `Stopped: ${name} left the workspace. Deploy the workflow again to run it as you.`;

    const { page } = await at.visitAs(owner.token);
    await page.goto(`${at.origin}/`);
    const stopped = page.getByRole("region", { name: "Stopped workflows" });
    await stopped
      .getByText(`${name} left the workspace. Deploy the workflow again to run it as you.`)
      .waitFor();
    await page.goto(`${at.origin}/workflows`);
    const row = page.getByRole("row", { name: /Send the figures/ });
    await row.locator(`.env-state.stopped[title*="${words}"]`).waitFor();
    expect(await row.locator("time", { hasText: /^in / }).count()).toBe(0);
    await row.getByRole("link", { name: "Send the figures", exact: true }).click();
    await page.getByText(words).waitFor();

    expect((await owner(`POST /api/v1/workflows/${id}/publish`)).status).toBe(200);
    await page.getByText(words).waitFor({ state: "detached" });
    expect((await read()).environments.production).toMatchObject({ orphaned: false });
  });
});
