import { beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { expectSound, useConsole, moveTo } from "./testing.ts";

describeInBrowser("the desk's settings", () => {
  const at = useConsole();

  let owner: Ask;
  let number: string;
  beforeAll(async () => {
    owner = await at.world.member(["owner"]);
    const made = await owner("POST /api/v1/itsm/incidents", { title: "No tone on line 4" });
    number = made.body.data.number;
  });
  const list = async (path: string) => (await owner(`GET /api/v1/itsm/${path}`)).body.data;

  test("an administrator sets up a text template, a macro and a mailbox, and tests each before saving", async () => {
    const admin = await at.visit(["admin"]);
    const { page } = admin;
    await page.goto(`${at.origin}/settings/desk/texts?open=new`);
    await page.getByLabel("Name").fill("Hello");
    await page.getByLabel("Text", { exact: true }).fill("About {{ticket.number}}: {{nonsense}}");
    await page.getByText("Unknown placeholders: {{nonsense}}.").waitFor();
    await page.getByLabel("Text", { exact: true }).fill("We look into {{ticket.number}}.");
    await page.getByText(`We look into ${number}.`).waitFor();
    await page.keyboard.press("Control+s");
    await page.getByText("Hello saved").waitFor();
    expect(await list("text-modules")).toMatchObject([{ name: "Hello", keyword: "hello" }]);

    await moveTo(page, `${at.origin}/settings/desk/macros?open=new`);
    await page.getByLabel("Name").fill("Mine, and tagged");
    await page.getByRole("button", { name: "Add action" }).click();
    await page.getByRole("menuitem", { name: "Edit tags" }).click();
    await page.getByLabel("Add tags").fill("storm");
    await page.getByText("+ storm").waitFor();
    await expectSound(admin);
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByText("Mine, and tagged saved").waitFor();
    expect((await list("macros"))[0].steps).toEqual([
      { act: "take" },
      { act: "tag", add: ["storm"] },
    ]);
    await page.getByLabel("Add tags").fill("storm, north");
    await page.getByText(/1 ticket checked: 0 with the same result, 1 with a different/).waitFor();

    await moveTo(page, `${at.origin}/settings/desk/mailboxes?open=new`);
    await page.getByLabel("Name").fill("Service desk");
    await page.getByLabel("Address").fill("not an address");
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByText("Address has an invalid format.").waitFor();
    await page.getByLabel("Address").fill("desk@example.com");
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByRole("tab", { name: "Recent e-mails" }).click();
    await page.getByText("No e-mails yet").waitFor();
    expect(await list("mailboxes")).toMatchObject([{ address: "desk@example.com", kind: "smtp" }]);
    expect(admin.faults).toEqual([]);
  });

  test("an SLA policy is tested on the last quarter, then saved, and its clock is shown at the desk", async () => {
    const admin = await at.visit(["admin"]);
    const { page } = admin;
    await page.goto(`${at.origin}/sla?tab=policies&open=new`);
    await page.getByLabel("Name", { exact: true }).first().fill("All incidents");
    await page.getByText("get a first response within 30 minutes").waitFor();
    await page.getByText("1 ticket checked. No tickets were changed.").waitFor();
    await expectSound(admin);
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByText("All incidents saved").waitFor();
    const [policy] = await list("sla-policies");
    expect(policy).toMatchObject({ name: "All incidents", entity: "incident" });
    await page.getByLabel("Minutes").first().fill("45");
    await page.getByText("No differences.").waitFor();
    await until(async () => (await list(`tickets/${number}`)).dueAt !== null);
    await moveTo(page, `${at.origin}/sla`);
    await page
      .getByRole("link", { name: new RegExp(number) })
      .first()
      .click();
    await page.getByRole("region", { name: `Incident ${number}` }).waitFor();
    await moveTo(page, `${at.origin}/desk/reports`);
    await page.getByRole("button", { name: /^Created 1/ }).click();
    await page.getByRole("link", { name: new RegExp(number) }).waitFor();
    await expectSound(admin);
    expect(admin.faults).toEqual([]);
  });
});
