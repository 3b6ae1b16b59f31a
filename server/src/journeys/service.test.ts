import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { expectSound, useConsole, moveTo, pressAndConfirm } from "./testing.ts";

const ITSM = "/api/v1/itsm";
const PAGE_MAX_MS = 20_000;
const CROWD = 230;
const LATE = "Zoë Late";

/**
 * Expects that the list of a picker in a dialog opens and closes separately, and that the selected line is visible.
 */
async function expectPickerKept(page: Page): Promise<void> {
  const field = page.getByRole("combobox", { name: "Person" });
  const isOpen = () => field.getAttribute("aria-expanded");
  const chosen = () =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute("aria-activedescendant");
      return id ? document.getElementById(id)?.textContent : undefined;
    });
  await field.fill("one of many 2");
  await page.getByRole("option", { name: /One of many 2\b/ }).waitFor();
  await page.getByText("Type to search for more").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const line = await chosen();
  expect(line).toContain("One of many 2");
  // Other people are found: the selected line is among them, and stays selected.
  await field.pressSequentially("0");
  await page.getByText("Type to search for more").waitFor({ state: "hidden" });
  expect(await chosen()).toContain("One of many 20");
  await page.keyboard.press("Escape");
  expect(await isOpen()).toBe("false");
  expect(await chosen()).toBeUndefined();
  expect(await page.getByRole("dialog").count()).toBe(1);
  const mark = page.getByRole("dialog").locator(".combo-mark");
  await mark.click();
  expect(await isOpen()).toBe("true");
  await mark.click();
  expect(await isOpen()).toBe("false");
  await page.context().setOffline(true);
  await field.fill("nobody has read this");
  await page
    .getByText(/offline/)
    .last()
    .waitFor();
  await page.context().setOffline(false);
  await page.getByText("No matches").waitFor();
  await page.keyboard.press("Escape");
}

describeInBrowser("on call, services and problems", () => {
  const at = useConsole();
  let owner: Ask;
  beforeAll(async () => {
    owner = await at.world.member(["owner"]);
  });
  /** More people than fit on a page, and one who is not on the first pages. */
  const addCrowd = async (): Promise<string> => {
    await at.world.sql(
      `with crowd as (insert into users (id, email, name, created_at, updated_at)
         select 'usr_' || lpad(n::text, 26, '0'), n || '@crowd.example.com', 'One of many ' || n, now(), now()
           from generate_series(1, ${CROWD}) n returning id)
       insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
       select w.key, crowd.id, '{viewer}', now(), now() from crowd, workspaces w where w.slug = 'default'`,
    );
    const { userId } = await at.world.member(["agent"]);
    await at.world.sql("update users set name = $1 where id = $2", [LATE, userId]);
    return userId;
  };
  const list = async (path: string) => (await owner(`GET ${path}`)).body.data;

  test("a rotation is created with visible shifts, gets an override, and a page is acknowledged", async () => {
    const admin = await at.visit(["admin"]);
    const { page, userId } = admin;
    const { name, email } = (await owner(`GET /api/v1/settings/users/${userId}`)).body.data;
    const late = await addCrowd();
    await page.goto(`${at.origin}/oncall?open=new`);
    await page.getByLabel("Name", { exact: true }).first().fill("Network");
    await page.getByText("Add people to a layer to see the shifts.").waitFor();
    await page.getByLabel("First shift").fill("2026-01-05");
    // Several people have one name.
    await page.getByRole("combobox", { name: "People in rotation" }).fill(email);
    await page.keyboard.press("Enter");
    const preview = page.getByRole("group", { name: "Preview of the shifts" });
    await preview
      .getByRole("button", { name: new RegExp(name) })
      .first()
      .waitFor();
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByText("Network saved").waitFor();
    await page.getByRole("button", { name: "All schedules" }).click();
    const rota = page.getByRole("region", { name: "Network" });
    await rota.getByText(name).first().waitFor();
    await expectSound(admin);
    await rota.getByRole("button", { name: "Override" }).click();
    await expectPickerKept(page);
    await page.getByRole("combobox", { name: "Person" }).fill("zoë l");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("combobox", { name: "Person" }).inputValue()).toBe(LATE);
    await page.getByLabel("Reason").fill("Their wedding");
    await page.getByRole("dialog").getByRole("button", { name: "Override" }).click();
    await rota
      .getByRole("button", { name: /override/ })
      .first()
      .waitFor();
    const [schedule] = await list(`${ITSM}/on-call-schedules`);
    const overrides = await list(`${ITSM}/on-call-schedules/${schedule.id}/overrides`);
    expect(overrides).toMatchObject([{ userId: late, reason: "Their wedding" }]);
    await rota.getByText(LATE).first().waitFor();
    await page.getByRole("button", { name: "Undo" }).last().click();
    await rota
      .getByRole("button", { name: /override/ })
      .first()
      .waitFor({ state: "detached" });

    await moveTo(page, `${at.origin}/oncall?tab=escalation&open=new`);
    await page.getByLabel("Name", { exact: true }).fill("Critical");
    await page.getByRole("combobox", { name: "Targets" }).fill("Network");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Preview" }).getByText(name).first().waitFor();
    await expectSound(admin);
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByText("Critical saved").waitFor();
    await owner(`POST ${ITSM}/incidents`, { title: "All is down", impact: 1, urgency: 1 });
    await page.getByRole("tab", { name: /Pages/ }).click();
    const paged = async () => (await list(`${ITSM}/pages`))[0];
    await expect.poll(paged, { timeout: PAGE_MAX_MS }).toMatchObject({ userIds: [userId] });
    await page.getByText("Waiting for you.").waitFor();
    await page.keyboard.press("j");
    await pressAndConfirm(page, "a");
    await page.getByText(`Acknowledged by ${name}`).waitFor();
    expect(await list(`${ITSM}/pages`)).toMatchObject([{ state: "acknowledged" }]);
    expect(admin.faults).toEqual([]);
  });

  test("items show class fields, and problems can become known errors and articles", async () => {
    const admin = await at.visit(["admin"]);
    const { page } = admin;
    await page.goto(`${at.origin}/services/classes?open=new`);
    await page.getByLabel("Display name").fill("Till");
    await page.getByRole("button", { name: "Add attribute" }).click();
    await page.getByLabel("Name", { exact: true }).fill("shop");
    await page.getByRole("button", { name: /^Create/ }).click();
    await page.getByText("Till saved").waitFor();
    await expectSound(admin);
    await moveTo(page, `${at.origin}/services`);
    await page.getByRole("button", { name: "New item", disabled: false }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("till-07");
    await form.getByLabel("Class").selectOption("till");
    await form.getByLabel("shop").fill("Lisbon");
    await form.getByRole("button", { name: /^Create/ }).click();
    await page.getByRole("heading", { name: "till-07" }).waitFor();
    await page.getByText("Lisbon").waitFor();
    const [item] = await list("/api/v1/cmdb/items?class=till");
    expect(item.attributes).toEqual({ shop: "Lisbon" });

    const { body } = await owner(`POST ${ITSM}/incidents`, {
      title: "The till is dark",
      ciIds: [item.id],
    });
    const { number } = body.data;
    await page.getByRole("link", { name: new RegExp(number) }).waitFor();
    await expectSound(admin);
    const made = await owner(`POST ${ITSM}/problems`, {
      title: "Tills go dark",
      incidentIds: [body.data.id],
    });
    const problem = made.body.data.number;
    await moveTo(page, `${at.origin}/problems/${problem}`);
    await page.getByRole("link", { name: new RegExp(number) }).waitFor();
    await page.getByLabel("Cause (optional)", { exact: true }).fill("A loose plug");
    await page.getByLabel("Workaround (optional)", { exact: true }).fill("Push the plug in.");
    await page.keyboard.press("Control+s");
    await page.getByText("Cause and workaround saved").waitFor();
    await page.getByRole("button", { name: "Declare known error", disabled: false }).click();
    await page.getByText("Listed under Known errors").waitFor();
    const past = page.getByRole("list", { name: "Timeline" });
    await past.getByText(/declared a known error/).waitFor();
    await expectSound(admin);
    await past
      .getByRole("button", { name: /View the state/ })
      .first()
      .click();
    await page.getByText(/^Version of/).waitFor();
    await page.getByText("Push the plug in.", { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Create article", disabled: false }).click();
    await page.waitForURL(/\/knowledge\/.+\/edit$/);
    expect(await list("/api/v1/knowledge")).toMatchObject([
      { title: "Tills go dark", state: "draft", tags: ["known-error", problem.toLowerCase()] },
    ]);
    expect((await list(`${ITSM}/problems/${problem}`)).state).toBe("known_error");
    expect(admin.faults).toEqual([]);
  });
});
