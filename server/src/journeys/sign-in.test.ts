import { expect, test } from "vitest";
import { somebody, withApp } from "#domains/identity/mfa/testing/people.ts";
import { CLIENT, startOpenIdProvider } from "#domains/identity/sso/testing/openid-provider.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, useConsole, type Visitor } from "./testing.ts";

/** The identity provider is on this machine. */
const ENV = { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" };
const { url, mails } = await useMailbox();
const MAIL = { MILLRACE_SMTP_URL: url, MILLRACE_MAIL_FROM: "desk@example.com" };

describeInBrowser("signing in", () => {
  const at = useConsole({ isNamed: true, env: { ...ENV, ...MAIL } });

  const fillIn = async ({ page }: Visitor, email: string, password = TEST_PASSWORD) => {
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
  };
  const arriveAt = ({ page }: Visitor, path: string) =>
    page.waitForURL(({ pathname, search }) => `${pathname}${search}` === path);

  /** The URL in an e-mail. Its body is quoted-printable: long lines are folded with "=". */
  const linkOf = (path: string) =>
    until(async () => {
      const text = mails
        .map((mail) => mail.text.replaceAll("=\r\n", "").replaceAll("=3D", "="))
        .join("\n");
      return new RegExp(`http://\\S+/${path}\\?token=[\\w-]+`).exec(text)?.[0];
    });

  test("a failed sign-in shows the reason, and a successful one continues to the requested page", async () => {
    const person = await somebody(at.world, ["builder"]);
    const visitor = await at.stranger();
    const { page } = visitor;
    await page.goto(`${at.origin}/runs?status=failed`);
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
    await expectSound(visitor);
    await fillIn(visitor, person.email, "not the password");
    expect(await page.getByRole("alert").textContent()).toContain("password is wrong");
    await fillIn(visitor, person.email);
    await arriveAt(visitor, "/runs?status=failed");
    await page.getByRole("heading", { name: "Runs" }).waitFor();
  });

  test("a URL cannot redirect to another host after the sign-in", async () => {
    const { email } = await somebody(at.world);
    for (const from of ["//evil.example/", "https://evil.example/", "/\\evil.example"]) {
      const visitor = await at.stranger();
      await visitor.page.goto(`${at.origin}/login?from=${encodeURIComponent(from)}`);
      await fillIn(visitor, email);
      await arriveAt(visitor, "/");
      await visitor.leave();
    }
  });

  test("a second factor is requested: a code, or a recovery code", async () => {
    const person = await somebody(at.world);
    const { app, recoveryCodes } = await withApp(at.world, person);
    for (const code of [app.next(), recoveryCodes[0] ?? ""]) {
      const visitor = await at.stranger({ dark: true });
      const { page } = visitor;
      await page.goto(`${at.origin}/login`);
      await fillIn(visitor, person.email);
      const field = page.getByLabel("Code from your authenticator app");
      await field.fill("000000");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      await expectSound(visitor);
      await field.fill(code);
      await page.keyboard.press("Enter");
      await arriveAt(visitor, "/");
      await visitor.leave();
    }
  });

  test("if a second factor is required, it is enrolled at the first sign-in: an app, or a passkey", async () => {
    const workspace = await at.world.workspace("vault");
    const owner = await at.world.member(["owner"], workspace);
    await owner("POST /api/v1/auth/mfa/totp/enroll");
    await withApp(at.world, { ask: owner });
    const enforced = await owner("POST /api/v1/settings/security/enforce-mfa", { enforced: true });
    expect(enforced.status).toBeLessThan(300);

    const byKey = await somebody(at.world, ["builder"], workspace);
    const visitor = await at.stranger();
    const { page } = visitor;
    const devTools = await visitor.context.newCDPSession(page);
    await devTools.send("WebAuthn.enable");
    await devTools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "usb",
        hasResidentKey: false,
        hasUserVerification: false,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${at.origin}/login`);
    await fillIn(visitor, byKey.email);
    await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Use a passkey or security key" }).click();
    await page.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
    await expectSound(visitor);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("navigation", { name: "Main menu" }).waitFor();
    // And uses it the next time.
    await page.getByRole("button", { name: /Somebody/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await fillIn(visitor, byKey.email);
    await page.getByRole("button", { name: "Use a passkey or security key" }).click();
    await page.getByRole("navigation", { name: "Main menu" }).waitFor();
    // The virtual authenticator is removed with its session.
    await devTools.detach();
    await visitor.leave();

    const byApp = await somebody(at.world, ["builder"], workspace);
    const other = await at.stranger({ width: 400 });
    await other.page.goto(`${at.origin}/login`);
    await fillIn(other, byApp.email);
    await other.page.getByRole("button", { name: "Use an authenticator app" }).click();
    expect(await other.page.getByLabel("Key", { exact: true }).textContent()).toMatch(
      /^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/,
    );
    await other.page.getByRole("img", { name: "QR code with the key" }).waitFor();
    await expectSound(other);
  });

  test("single sign-on redirects to the identity provider and back to the requested page", async () => {
    const workspace = await at.world.workspace("acme");
    const owner = await at.world.member(["owner"], workspace);
    await using provider = await startOpenIdProvider([`${at.origin}/sso/acme/oidc/callback`]);
    const settings = { jitProvisioning: true, defaultRole: "builder", ...CLIENT };
    const set = await owner("POST /api/v1/settings/sso", {
      protocol: "oidc",
      issuer: provider.issuer,
      ...settings,
    });
    expect(set.status).toBe(200);
    provider.seat("ada", { email: "ada@acme.example", email_verified: true, name: "Ada Byron" });
    const visitor = await at.stranger();
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows`);
    // Only one workspace has it, so there is no selection.
    await page.getByRole("button", { name: "Single sign-on" }).click();
    await arriveAt(visitor, "/workflows");
    await page.getByRole("button", { name: /Ada Byron/ }).waitFor();
  });

  test("with several workspaces, the user selects one; without any, they are informed", async () => {
    const second = await at.world.workspace("second");
    const person = await somebody(at.world);
    await at.world.sql(
      `insert into memberships (workspace_id, user_id, roles, created_at, updated_at)
       values ($1, $2, '{viewer}', now(), now())`,
      [second.key, person.userId],
    );
    const visitor = await at.stranger();
    await visitor.page.goto(`${at.origin}/login`);
    await fillIn(visitor, person.email);
    await visitor.page.getByRole("heading", { name: "Select a workspace" }).waitFor();
    await expectSound(visitor);
    await visitor.page.getByRole("button", { name: "second" }).click();
    await visitor.page.getByRole("button", { name: "Workspace: second" }).waitFor();

    const alone = await somebody(at.world);
    await at.world.sql("delete from memberships where user_id = $1", [alone.userId]);
    const other = await at.stranger();
    await other.page.goto(`${at.origin}/login`);
    await fillIn(other, alone.email);
    await other.page.getByRole("heading", { name: "No workspace" }).waitFor();
  });

  test("e-mails lead an invited person to the console, and again after a forgotten password", async () => {
    const owner = await at.world.member(["owner"]);
    const invited = { email: "cy@example.com", name: "Cy" };
    expect((await owner("POST /api/v1/settings/users/invite", invited)).status).toBe(201);
    const visitor = await at.stranger();
    const { page } = visitor;
    await page.goto(await linkOf("invitations"));
    await page.getByLabel("Password").fill("a long password of mine");
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("button", { name: /Cy/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail").fill(invited.email);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Check your e-mail" }).waitFor();
    await page.goto(await linkOf("password"));
    await page.getByLabel("New password").fill("a better password of mine");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your password is set" }).waitFor();
    await expectSound(visitor);
    await page.getByRole("link", { name: "Sign in" }).click();
    await fillIn(visitor, invited.email, "a better password of mine");
    await page.getByRole("heading", { name: /Cy\./ }).waitFor();
  });

  test("an expired session is renewed in a dialog, and the input is kept", async () => {
    const person = await somebody(at.world, ["builder"]);
    const visitor = await at.visitAs(person.token);
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows?new=import`);
    await page.getByRole("textbox", { name: "Definition" }).fill('{ "name": "Kept", "nodes": [] }');
    await person.ask("POST /api/v1/auth/logout");
    await page.getByRole("button", { name: "Create workflow" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session expired" });
    await dialog.getByRole("heading", { name: "Sign in again to continue" }).waitFor();
    await dialog.getByLabel("Password").fill(TEST_PASSWORD);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("textbox", { name: "Definition" }).inputValue()).toContain("Kept");
    await page.getByRole("button", { name: "Create workflow" }).click();
    await page.waitForURL(/\/workflows\/wf_/);
  });
});
