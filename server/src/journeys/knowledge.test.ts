import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

describeInBrowser("knowledge", () => {
  const at = useConsole();

  test("a search without results becomes an article, is reviewed, published and found in the portal", async () => {
    const asks = await at.world.member(["requester"]);
    await asks("POST /api/v1/knowledge/searches", { q: "parking permit", found: 0 });
    const author = await at.visit(["agent"]);
    const { page } = author;
    await page.goto(`${at.origin}/knowledge`);
    await page.getByRole("heading", { name: "Knowledge" }).waitFor();
    await page.keyboard.press("l");
    await page.getByText("no results").waitFor();
    await expectSound(author);
    await page.getByRole("link", { name: "Write article: parking permit" }).click();
    const title = page.getByRole("textbox", { name: "Title" });
    expect(await title.inputValue()).toBe("Parking permit");
    const text = page.getByRole("textbox", { name: /^Article text/ });
    await text.fill("Ask at the gate, <b>floor 0</b>.\n\n");
    await text.press("Control+End");
    await text.press("Control+b");
    await page.keyboard.type("at once");
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.locator("strong", { hasText: "at once" }).waitFor();
    // Markup of people is text.
    expect(await preview.locator("b").count()).toBe(0);
    await page.keyboard.press("Control+s");
    await page.getByRole("heading", { name: "Parking permit", level: 1 }).waitFor();
    await page.keyboard.press("r");
    await page.getByRole("dialog").getByRole("button", { name: "Submit for review" }).click();
    await page.getByText("In review").first().waitFor();
    await page.keyboard.press("p");
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.getByText("Was this article helpful?").waitFor();
    await expectSound(author);
    const { body } = await at.world
      .member(["agent"])
      .then((ask) => ask("GET /api/v1/knowledge/searches?unanswered=true"));
    expect(body.data).toEqual([]);

    const reader = await at.visit(["requester"], { width: 400 });
    await reader.page.goto(`${at.origin}/portal`);
    await reader.page.getByRole("searchbox").fill("parking per");
    await reader.page.getByRole("link", { name: "Parking permit" }).click();
    await reader.page.locator("strong", { hasText: "at once" }).waitFor();
  });
});
