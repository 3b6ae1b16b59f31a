import { expect, test } from "vitest";
import { operator } from "#domains/installation/testing/operator.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { fillSmall } from "../portability/testing/archive-worlds.ts";
import { expectFocusKept, expectSound, expectSoundInEveryLook, useConsole } from "./testing.ts";

const PASSPHRASE = "correct horse battery";
const TASK = { timeout: 60_000 };
const MOVE_MS = 180_000;

describeInBrowser("moving a workspace", () => {
  const source = useConsole({ hostCommands: true });
  const target = useConsole({ hostCommands: true });

  // Each task is a separate process, which loads the entire product. The HTTP variant is in archives.test.ts.
  test(
    "an owner exports it, an operator elsewhere checks, imports and activates it, and its members find their work",
    async () => {
      const small = await source.world.workspace("small");
      const member = await source.world.member(["owner"], small);
      await fillSmall(member);
      const owner = await source.visitAs(member.token, { workspace: "small" });
      const { page } = owner;
      await page.goto(`${source.origin}/settings/workspace`);
      const section = page.getByRole("region", { name: "Workspace export" });
      await section.getByText("No exports yet.").waitFor();
      await section.getByRole("button", { name: "Export workspace" }).focus();
      await page.keyboard.press("Enter");
      await page.getByLabel("Passphrase").fill(PASSPHRASE);
      await page.keyboard.press("Enter");
      // The button that requested it is disabled until the download is ready.
      const link = section.getByRole("link", { name: "Download" });
      await link.waitFor(TASK);
      await expectFocusKept(page);
      await expectSoundInEveryLook(owner);
      const downloading = page.waitForEvent("download");
      await link.click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^small.*\.millrace$/);
      const archive = await download.path();

      // The operator of the target is the owner of the source: people are matched by e-mail address.
      const there = await operator(target.world);
      await target.world.sql(
        "update users set email = $2, email_verified_at = now() where id = $1",
        [there.userId, `${member.userId}@example.com`],
      );
      const runner = await target.visitAs(there.token);
      const screen = runner.page;
      await screen.goto(`${target.origin}/settings/operation?tab=imports`);
      await screen.getByText("No imports yet.").waitFor();
      await screen.getByLabel("Upload archive").last().setInputFiles(archive);
      const entry = screen.getByRole("listitem").filter({ hasText: "Discard" });
      const press = async (name: string) => {
        await entry.getByRole("button", { name, exact: true }).focus();
        await screen.keyboard.press("Enter");
      };
      await press("Check");
      await screen.getByLabel("Passphrase").fill(PASSPHRASE);
      await screen.keyboard.press("Enter");
      await entry.getByText("Checked", { exact: true }).waitFor(TASK);
      await expectFocusKept(screen);
      await expectSoundInEveryLook(runner);
      await press("Import");
      await screen.getByLabel("Passphrase").fill(PASSPHRASE);
      await screen.getByLabel("Slug").fill("moved");
      await screen.keyboard.press("Enter");
      await entry.getByText("Imported, paused").waitFor(TASK);
      await expectFocusKept(screen);
      await press("Activate");
      await screen.getByRole("button", { name: "Activate workspace" }).click();
      await screen.getByText("Active", { exact: true }).waitFor(TASK);
      await expectFocusKept(screen);
      await expectSound(runner);

      await screen.goto(`${target.origin}/`);
      await screen.getByRole("button", { name: /^Workspace/ }).click();
      await screen.getByRole("button", { name: /small/i }).click();
      await screen.waitForFunction(() => localStorage.getItem("millrace.workspace") === "moved");
      await screen.goto(`${target.origin}/desk`);
      await screen.getByText("All open").first().click();
      await screen.getByText("Broken").first().waitFor();
      await screen.goto(`${target.origin}/tables/orders`);
      await screen.getByText(/^One/).first().waitFor();
      await expectSound(runner);
    },
    MOVE_MS,
  );
});
