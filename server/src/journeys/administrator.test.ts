import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { failedJob } from "#domains/installation/testing/operator.ts";
import { expectSound, expectSoundInEveryLook, useConsole, moveTo } from "./testing.ts";

describeInBrowser("administering people", () => {
  const at = useConsole({ isNamed: true, env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

  test("an administrator invites a colleague, copies a role for them, and explains its limits", async () => {
    const admin = await at.visit(["owner"]);
    const { page } = admin;
    await page.goto(`${at.origin}/settings/people`);
    await page.getByRole("button", { name: "Invite", exact: true }).waitFor();
    await page.getByText("admin@example.com").waitFor();
    await page.keyboard.press("n");
    await page.getByLabel("E-mail addresses").fill("Ada <ada@example.com>");
    await page.getByRole("button", { name: "Invite", exact: true }).last().click();
    const link = await page.getByRole("group", { name: "ada@example.com" }).textContent();
    await page.getByRole("button", { name: "Done" }).click();

    const colleague = await at.stranger();
    await colleague.page.goto(String(link));
    await colleague.page.getByLabel("Password").fill(TEST_PASSWORD);
    await colleague.page.getByRole("button").first().click();
    await colleague.page.waitForURL(({ pathname }) => pathname !== "/invitations");

    await moveTo(page, `${at.origin}/settings/roles`);
    await page.getByRole("button", { name: "Viewer", exact: true }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Night watch");
    await page.getByLabel("Search permissions").last().fill("incidents:write");
    await page.getByLabel(/^incidents:write/).check();
    await page.getByText("Compared with Viewer, this role gains").waitFor();
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("button", { name: "Night watch" }).waitFor();
    // All rows have the same structure.
    await page.getByLabel("Search permissions").fill("incidents");
    await page.getByRole("rowheader", { name: /^workflows:read/ }).waitFor({ state: "detached" });
    await page.getByRole("rowheader", { name: /^incidents:write/ }).waitFor();
    await expectSoundInEveryLook(admin);

    await moveTo(page, `${at.origin}/settings/people`);
    await page.getByText("ada@example.com").first().click();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel(/^Night watch/).check();
    await page.getByText("Adds Night watch.").waitFor();
    await page.getByRole("button", { name: "Save roles" }).click();
    await page.getByText(/^Member, Night watch$/).waitFor();
    await page.getByRole("button", { name: "Change manager" }).click();
    await page.getByRole("combobox", { name: "Manager" }).fill("admin@");
    await page.getByRole("option", { name: /admin@example\.com/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expectSound(admin);
    const asking = await at.world.member(["owner"]);
    const members = (await asking("GET /api/v1/settings/users?limit=200")).body.data;
    const idOf = (email: string) => members.find((one: any) => one.email === email)?.id;
    const joined = members.find((one: any) => one.email === "ada@example.com");
    expect(joined.managerId).toBe(idOf("admin@example.com"));
    await page.getByRole("link", { name: "Explain access" }).click();
    await page.getByLabel("Operation").fill("workflows.create");
    await page.keyboard.press("Enter");
    await page.getByText("No", { exact: true }).waitFor();
    await page.getByText("It requires workflows:write, which none of the roles has.").waitFor();
    await page.getByLabel("Operation").fill("incidents.update");
    await page.keyboard.press("Enter");
    await page.getByText("which they have by Night watch").waitFor();
  });

  test("roles of the invite dialog do not overlap; a person with an accented address signs in and sees the name of a custom role", async () => {
    const admin = await at.visit(["owner"]);
    const { page } = admin;
    const ask = await at.world.member(["owner"]);
    const role = await ask("POST /api/v1/settings/roles", {
      name: "Contractor",
      permissions: ["tables:read"],
    });
    await page.goto(`${at.origin}/settings/people`);
    await page.getByText("admin@example.com").waitFor();
    await page.keyboard.press("n");
    await page.getByLabel("E-mail addresses").fill("tomás@example.com");
    const boxes = await page.locator(".role-option").evaluateAll((rows) =>
      rows.map((row) => ({
        top: row.getBoundingClientRect().top,
        // The text may be taller than a row that a column has shrunk.
        bottom: Math.max(
          ...[row, ...row.children].map((part) => part.getBoundingClientRect().bottom),
        ),
      })),
    );
    expect(boxes.length).toBeGreaterThan(8);
    const overlaps = boxes.filter((box, n) => n > 0 && box.top < boxes[n - 1]!.bottom - 1);
    expect(overlaps).toEqual([]);
    await page.getByRole("checkbox", { name: /^Member/ }).uncheck();
    await page.getByRole("checkbox", { name: /^Contractor/ }).check();
    await page.getByRole("button", { name: "Invite", exact: true }).last().click();
    const link = await page.getByRole("group", { name: "tomás@example.com" }).textContent();

    const invited = await at.stranger();
    await invited.page.goto(String(link));
    await invited.page.getByLabel("Password").fill(TEST_PASSWORD);
    await invited.page.getByRole("button").first().click();
    await invited.page.waitForURL(({ pathname }) => pathname !== "/invitations");

    const person = await at.stranger();
    await person.page.goto(`${at.origin}/login`);
    // Decomposed Unicode, as some keyboards send it.
    await person.page.getByLabel("E-mail").fill("Tomás@example.com".normalize("NFD"));
    await person.page.getByLabel("Password").fill(TEST_PASSWORD);
    await person.page.keyboard.press("Enter");
    await person.page.waitForURL(({ pathname }) => pathname !== "/login");
    await moveTo(person.page, `${at.origin}/settings/account`);
    await person.page.locator(".account-roles").getByText("Contractor", { exact: true }).waitFor();
    const member = await ask("GET /api/v1/settings/users?q=tom%C3%A1s");
    expect(member.body.data).toMatchObject([
      { email: "tomás@example.com", roles: [role.body.data.id] },
    ]);
  });

  test("a token is created, used and revoked, and a session ended elsewhere ends immediately", async () => {
    const person = await at.visit(["builder"]);
    const { page } = person;
    await page.goto(`${at.origin}/settings/account?tab=tokens`);
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Robot");
    await page.getByLabel("Search permissions").fill("workspaces:read");
    await page.getByLabel(/^workspaces:read/).check();
    await page.getByRole("button", { name: "Create token" }).click();
    const token = await page.getByRole("group", { name: "Token" }).textContent();
    await page.getByRole("button", { name: "Done" }).click();
    const robot = at.world.asToken(String(token), "default");
    expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 200 });
    await page.getByRole("button", { name: "Revoke Robot" }).click();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("No API tokens yet.").waitFor();
    expect(await robot("GET /api/v1/workspaces/me")).toMatchObject({ status: 401 });

    await at.world.sql(
      `update users set password_hash = (select password_hash from users where email = 'admin@example.com')
        where id = $1`,
      [person.userId],
    );
    const { body } = await at.world.stranger("POST /api/v1/auth/token", {
      email: `${person.userId}@example.com`,
      password: TEST_PASSWORD,
    });
    const other = await at.visitAs(body.data.token);
    await other.page.goto(`${at.origin}/settings/account`);
    await other.page.getByRole("heading", { name: "Somebody" }).waitFor();
    await page.getByRole("tab", { name: "Security" }).click();
    await page.getByText("This session").waitFor();
    await expectSoundInEveryLook(person);
    await page.getByRole("button", { name: /^Sign out (?!other)/ }).click();
    await page.getByText(/is signed out\.$/).waitFor();
    // The window ends its session without any input.
    await other.page.getByRole("dialog").waitFor();
  });

  test("an operator sees problems, retries a job, sets a change freeze, and reads the guide next to it", async () => {
    const operator = await at.visit(["viewer"]);
    await at.world.sql("insert into operators values ($1, 'system', now())", [operator.userId]);
    await failedJob(at.world);
    const colleague = await at.visit(["builder"]);
    await colleague.page.goto(`${at.origin}/settings`);
    await colleague.page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
    expect(await colleague.page.getByRole("link", { name: /^Operation/ }).count()).toBe(0);
    await moveTo(colleague.page, `${at.origin}/tables`);
    await colleague.page.getByRole("heading", { level: 1, name: "Tables" }).waitFor();

    const { page } = operator;
    await page.goto(at.origin);
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Operation/ })
      .click();
    await page.getByText("1 jobs failed all attempts.").waitFor();
    await expectSoundInEveryLook(operator);
    await page.getByRole("tab", { name: "Work" }).click();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("No failed jobs.").waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Start maintenance" }).click();
    await page.getByLabel("Message").fill("A larger disk until 22:00.");
    await page.keyboard.press("Enter");
    await page.getByText("only operators can change it").waitFor();
    await colleague.page.getByRole("link", { name: "Automation" }).click();
    await colleague.page.getByText("you can't change it now. A larger disk").waitFor();
    await page.getByRole("button", { name: "End maintenance" }).click();
    await page.getByText("Maintenance ended.").waitFor();

    await page.keyboard.press("F1");
    await page.getByRole("heading", { name: "Operating Millrace" }).waitFor();
    await page.getByLabel("Search guides").fill("signature rotate");
    await page
      .getByRole("button", { name: /^Webhooks/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
    await expectSound(operator);
  });
});
