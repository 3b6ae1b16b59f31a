import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CLIENT, startOpenIdProvider } from "#domains/identity/sso/testing/openid-provider.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, expectSoundInEveryLook, useConsole, moveTo } from "./testing.ts";

/** Replaces the text of an editor of code. */
async function write(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name: label, exact: true }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

const rowOf = (page: Page, state: string) =>
  page.getByRole("region", { name: "Deliveries" }).getByRole("button", { name: state });

const BAKERY = {
  id: "bakery",
  name: "Bakery",
  version: "1.0.0",
  resources: { tables: [{ name: "Loaves", slug: "loaves", columns: [] }] },
};

describeInBrowser("integrator", () => {
  const at = useConsole({
    isNamed: true,
    env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32,::1/128" },
  });

  test("a webhook is created from past events, fails while its receiver is down, and is recovered", async () => {
    const owner = await at.world.member(["owner"]);
    const note = (title: string) => owner("POST /api/v1/notes", { title, body: "" });
    await note("before it all");
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/webhooks/listen`);
    await page.getByText("No test endpoints yet").waitFor();
    await page.keyboard.press("n");
    await page.getByText("Waiting for requests").waitFor();
    await page.getByRole("link", { name: "New webhook for this URL" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Notes to the archive");
    await page.getByRole("searchbox", { name: "Search events" }).fill("note");
    await page.getByRole("checkbox", { name: "All events of note", exact: true }).check();
    await page.getByRole("region", { name: "Preview" }).getByText("note.created").first().waitFor();
    await page.getByText("Retries, timeout and format").click();
    await page.getByRole("spinbutton", { name: "Retries" }).fill("0");
    await expectSoundInEveryLook(visitor);
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("No deliveries yet").waitFor();

    await note("well");
    await rowOf(page, "Succeeded").waitFor();
    const [endpoint] = (await owner("GET /api/v1/test-endpoints")).body.data;
    await owner(`PATCH /api/v1/test-endpoints/${endpoint.id}`, { answerStatus: 500 });
    await note("ill");
    await rowOf(page, "Failed").click();
    const side = page.getByRole("complementary", { name: "Delivery" });
    await side.getByRole("region", { name: "Response", exact: true }).getByText("500").waitFor();
    await expectSound(visitor);

    await owner(`PATCH /api/v1/test-endpoints/${endpoint.id}`, { answerStatus: 200 });
    await page.getByRole("tab", { name: "Recovery" }).click();
    // The count is shown first; it excludes events from before the webhook.
    await page.getByText("1 failed delivery, 0 missing events.").waitFor();
    expect(await page.getByRole("button", { name: "Replay missing" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Recover failed" }).click();
    const asked = page.getByRole("dialog", { name: "Recover failed?" });
    await asked.getByText(/1 failed delivery of Notes to the archive will be retried/).waitFor();
    await asked.getByRole("button", { name: "Recover failed" }).click();
    await page.getByText("1 failed delivery retried").waitFor();
    const [hook] = (await owner("GET /api/v1/webhooks")).body.data;
    const { data: recoveries } = (await owner(`GET /api/v1/webhooks/${hook.id}/recoveries`)).body;
    expect(recoveries).toMatchObject([{ only: "failed", until: null, created: 0, retried: 1 }]);
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await rowOf(page, "Succeeded").nth(1).waitFor();

    await page.keyboard.press("Shift+C");
    const code = page.getByRole("dialog", { name: "This screen as code" });
    await code.getByRole("tab", { name: "TypeScript" }).click();
    await code.getByText("client.webhooks.list_deliveries").waitFor();
    await expectSound(visitor);
  });

  test("a connector is created with a secret, tested, invoked, and shows its usage", async () => {
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/secrets`);
    await page.getByText("No secrets yet").waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "New secret" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("CRM_TOKEN");
    await dialog.getByLabel("Value", { exact: true }).fill("never shown again");
    await page.keyboard.press("Enter");
    await page.getByText("CRM_TOKEN created.").waitFor();

    await page.keyboard.press("g");
    await page.keyboard.press("n");
    await page.getByRole("link", { name: "HTTP API" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("CRM");
    await page.getByRole("textbox", { name: "Base URL" }).fill(at.origin);
    await page.getByRole("textbox", { name: "Test path" }).fill("/healthz");
    await page.getByRole("combobox", { name: "Authentication" }).selectOption("bearer");
    await page.getByRole("combobox", { name: "Token" }).fill("{{secrets.CRM_TOKEN}}");
    await page.keyboard.press("Tab");
    await expectSoundInEveryLook(visitor);
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByRole("heading", { name: "CRM", exact: true }).waitFor();
    await page.getByText("Not tested").waitFor();
    await page.keyboard.press("t");
    await page.getByText(/Connection to CRM works/).waitFor();

    await page.getByRole("textbox", { name: "Path" }).fill("/healthz");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByRole("region", { name: "Result" }).getByText("200").waitFor();
    await page.getByRole("tab", { name: "Usage" }).click();
    await page.getByText("1 call, 0 errors.").waitFor();
    await expectSound(visitor);
    await moveTo(page, `${at.origin}/secrets?open=CRM_TOKEN`);
    await page.getByRole("link", { name: "CRM" }).waitFor();
    expect(await page.content()).not.toContain("never shown again");
  });

  test("consent to a gallery connector in a window: closed, declined, given, and without a window", async () => {
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await using provider = await startOpenIdProvider([`${at.origin}/connectors/consent`]);
    provider.seat("ada", { email: "ada@example.com" });
    await page.goto(`${at.origin}/connectors/new`);
    await page.getByRole("link", { name: "HTTP API" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Calendar");
    await page.getByRole("textbox", { name: "Base URL" }).fill(at.origin);
    await page
      .getByRole("combobox", { name: "Authentication" })
      .selectOption("oauth2_authorization_code");
    const fields = page.getByRole("group", { name: "Credentials" });
    await fields.getByLabel("Authorize URL").fill(`${provider.issuer}/auth?prompt=consent`);
    await fields.getByLabel("Token URL").fill(`${provider.issuer}/token`);
    await fields.getByLabel("Client ID").fill(CLIENT.clientId);
    await fields.getByLabel("Client secret").fill(CLIENT.clientSecret);
    await fields.getByLabel("Scope").fill("openid offline_access");
    await fields.getByText("Basic", { exact: true }).click();
    await page.keyboard.press("ControlOrMeta+s");
    const asked = page.getByRole("status").filter({ hasText: "Authorize" });
    await asked.getByText("needs authorization").waitFor();
    await expectSound(visitor);
    const consent = async () => {
      const opening = page.waitForEvent("popup");
      await page.getByRole("button", { name: /^Authorize/ }).click();
      return opening;
    };

    provider.decide("wait");
    const left = await consent();
    await left.getByText("Do you agree?").waitFor();
    await asked.getByText("in the window that opened").waitFor();
    await left.close();
    await asked.getByText("The window was closed").waitFor();

    provider.decide("refuse");
    const refused = await consent();
    await refused.getByText("Access was denied in the other system.").waitFor();
    await asked.getByText("Access was denied in the other system.").waitFor();
    const closing = refused.waitForEvent("close");
    await refused.getByRole("button", { name: "Close window" }).click();
    await closing;

    provider.decide("agree");
    const given = await consent();
    if (!given.isClosed()) await given.waitForEvent("close");
    await asked.waitFor({ state: "detached" });
    expect(visitor.faults).toEqual([]);

    // If the browser opens no window, the same tab goes there and back.
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const owner = await at.world.member(["owner"]);
    expect((await owner(`DELETE /api/v1/connectors/${id}/consent`)).status).toBe(204);
    await asked.waitFor();
    await page.evaluate(() => (window.open = () => null));
    await page.getByRole("button", { name: "Authorize", exact: true }).click();
    await page.getByText("Connected.").waitFor();
    await page.waitForURL(`${at.origin}/connectors/${id}`);
    await page.getByRole("heading", { name: "Calendar", exact: true }).waitFor();
    expect((await owner(`GET /api/v1/connectors/${id}/consent`)).body.data.status).toBe("up");
  });

  test("edits, tests and runs an artifact and shows the history", async () => {
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/artifacts`);
    await page.getByText("No artifacts yet").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("price");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "price" }).waitFor();
    await write(
      page,
      "Source code",
      "context.log.info('pricing');\nreturn { total: input.count * 5 };",
    );
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("Saved as version 2.").waitFor();

    await page.getByRole("tab", { name: "Tests" }).click();
    await page.getByRole("button", { name: "New test" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("two of them");
    await write(page, "Expected output", '{ "total": 10 }');
    await page.getByRole("dialog").getByRole("textbox", { name: "Input" }).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{ "count": 2 }');
    await page.getByRole("dialog").getByRole("button", { name: /^Save/ }).click();
    await page.getByRole("button", { name: "Run all tests" }).click();
    await page.getByText("1 test passed.").waitFor();

    await page.getByRole("tab", { name: "Run" }).click();
    await write(page, "Input", '{ "count": 3 }');
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByRole("region", { name: "Output" }).getByText("15").waitFor();
    await page.getByRole("list", { name: "Logs" }).getByText("pricing").waitFor();
    await expectSoundInEveryLook(visitor);
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("button", { name: "Version 1" }).click();
    await page.getByRole("button", { name: "Restore" }).waitFor();
    await expectSound(visitor);
    // A handler shows its calls, and its settings do not overwrite changes of others.
    const owner = await at.world.member(["owner"]);
    const { body } = await owner("POST /api/v1/sdk/artifacts", {
      name: "take order",
      artifactType: "webhook_handler",
      moduleKey: "shop",
      status: "active",
      detail: { scriptSource: "return input.body;" },
    });
    const { pathname } = new URL(body.data.url, at.origin);
    expect((await at.world.stranger(`POST ${pathname}`, { loaves: 7 })).status).toBe(200);
    await moveTo(page, `${at.origin}/artifacts/${body.data.id}?tab=settings`);
    await page.getByRole("textbox", { name: "Description" }).fill("Orders");
    const change = { description: "Meanwhile" };
    await owner(`PATCH /api/v1/sdk/artifacts/${body.data.id}`, change);
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Another user changed Description while you were editing.").waitFor();
    await page.getByRole("tab", { name: "Run" }).click();
    const requests = page.getByRole("region", { name: "Recent requests" });
    await requests.getByRole("link", { name: /Completed/ }).click();
    await page.getByRole("heading", { name: "Headers" }).waitFor();
    await page.getByText("loaves").first().waitFor();
    // A custom pack is installed from a file, after its plan is shown.
    await moveTo(page, `${at.origin}/packs`);
    await page.getByLabel("Pack file").setInputFiles({
      name: "bakery.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(BAKERY)),
    });
    const plan = page.getByRole("dialog");
    await plan.getByText("Loaves").waitFor();
    await plan.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByRole("button", { name: "Uninstall Bakery" }).waitFor();
  });
});
