import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, moveTo, useConsole } from "./testing.ts";

const ITSM = "/api/v1/itsm";

describeInBrowser("pages to acknowledge", () => {
  const at = useConsole();

  test("a page is found on Home and acknowledged at its ticket", async () => {
    const owner = await at.world.member(["owner"]);
    const visitor = await at.visit(["agent"]);
    const { page } = visitor;
    const { body: ticket } = await owner(`POST ${ITSM}/incidents`, { title: "Core router down" });
    const { body: paged } = await owner(`POST ${ITSM}/pages`, {
      ticketId: ticket.data.id,
      targets: [{ type: "user", id: visitor.userId }],
      message: "The vendor waits",
    });
    await page.goto(`${at.origin}/`);
    const waiting = page.getByRole("region", { name: "Waiting for you" });
    await waiting.getByRole("link", { name: /Page Core router down/ }).click();
    const banner = page.getByRole("status").filter({ hasText: "Paged" });
    await banner.getByText("The vendor waits").waitFor();
    await expectSound(visitor);
    await banner.getByRole("button", { name: "Acknowledge" }).click();
    await banner.waitFor({ state: "detached" });
    expect((await owner(`GET ${ITSM}/pages/${paged.data.id}`)).body.data).toMatchObject({
      state: "acknowledged",
      acknowledgedBy: visitor.userId,
    });
    await moveTo(page, `${at.origin}/`);
    await page.getByRole("heading", { name: "Waiting for you", exact: true }).waitFor();
    await waiting.getByRole("link", { name: /Core router down/ }).waitFor({ state: "detached" });
  });

  test("shows a rotation with a former member as broken and lists members who can fix it", async () => {
    const owner = await at.world.member(["owner"]);
    const gone = await at.world.member(["agent"]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await owner(`POST ${ITSM}/on-call-schedules`, {
      name: "Network",
      layers: [
        {
          name: "Weeks",
          userIds: [gone.userId],
          turn: { unit: "week", count: 1 },
          startsOn: "2020-01-06",
          handOver: "09:00",
        },
      ],
    });
    await owner(`PATCH /api/v1/settings/users/${gone.userId}`, { status: "deactivated" });
    await page.goto(`${at.origin}/`);
    const waiting = page.getByRole("region", { name: "Waiting for you" });
    await waiting.getByRole("link", { name: /Replace .* in Network/ }).waitFor();
    await page.goto(`${at.origin}/oncall`);
    await page
      .getByRole("alert")
      .getByText(/left the workspace and can’t be paged, but is on call now/)
      .waitFor();
    await expectSound(visitor);
  });
});
