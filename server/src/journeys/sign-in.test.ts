import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

const EMAIL = "admin@example.com";
const PASSWORD = "correct horse battery";

describeInBrowser("signing in", () => {
  const at = useConsole({ env: { MILLRACE_ADMIN_PASSWORD: PASSWORD } });

  test("a stranger is asked to sign in, told what was wrong, and led to where they wanted to go", async () => {
    const visitor = await at.stranger();
    const { page } = visitor;
    await page.goto(`${at.origin}/home?workspace=default`);
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
    await expectSound(visitor);
    await page.getByLabel("E-mail").fill(EMAIL);
    await page.getByLabel("Password").fill("not the password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("password is wrong");
  });
});
