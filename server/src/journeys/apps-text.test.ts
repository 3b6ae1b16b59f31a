import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { moveTo, useConsole } from "./testing.ts";

/** A slow typing speed: the builder saves and renders between two keys. */
const KEY_MS = 180;
/** Longer than the pause after which the builder saves. */
const THINK_MS = 1_500;

describeInBrowser("typing in the builder of apps", () => {
  const at = useConsole();

  test("slowly typed titles and labels are kept letter by letter, and no letter triggers a shortcut", async () => {
    const { page } = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const columns = [{ name: "title", type: "text", required: true }];
    await owner("POST /api/v1/tables", { name: "Leaves", slug: "leaves", columns });
    await owner("POST /api/v1/tables/leaves/records", { title: "Two weeks in May" });
    await moveTo(page, `${at.origin}/builder`);
    await page.getByRole("button", { name: "New app" }).first().click();
    await page
      .getByRole("option", { name: /Leaves/ })
      .first()
      .click();
    const stage = page.frameLocator("iframe[title='App preview']");
    await stage.getByText("Two weeks in May").waitFor();
    const side = page.getByRole("complementary", { name: "Properties" });
    const type = async (name: string, text: string): Promise<void> => {
      const field = side.getByRole("textbox", { name, exact: true });
      await field.click();
      await page.keyboard.press("ControlOrMeta+a");
      const [first = "", ...others] = text;
      await page.keyboard.press(first);
      // The builder saves after a pause, and receives the saved version.
      await page.waitForTimeout(THINK_MS);
      await page.keyboard.type(others.join(""), { delay: KEY_MS });
      const isFocused = await field.evaluate((box) => box.matches(":focus"));
      expect([text, isFocused, await page.getByRole("dialog").count()]).toEqual([text, true, 0]);
    };
    const appId = (): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const table = async () => {
      const { body } = await owner(`GET /api/v1/apps/${appId()}`);
      const [{ components }] = body.data.pages;
      return components.find(({ type: kind }: { type: string }) => kind === "table");
    };
    const saved = page.getByText("Saved", { exact: true });

    await page.getByRole("treeitem", { name: /^Leaves table/ }).click();
    await side.getByRole("heading", { name: "Table" }).waitFor();
    await type("Title", "Approve");
    await saved.waitFor();
    expect(await table()).toMatchObject({ title: "Approve" });
    await stage.getByText("Approve", { exact: true }).waitFor();

    // The section of a new button stays open while its label changes.
    await side.getByRole("button", { name: "Add a row action" }).click();
    await side.getByRole("combobox", { name: "Action" }).selectOption("refresh");
    await type("Label", "Approve");
    await saved.waitFor();
    expect(await table()).toMatchObject({
      title: "Approve",
      rowActions: [{ label: "Approve", action: { type: "refresh" } }],
    });
    await stage.getByRole("button", { name: "Approve", exact: true }).waitFor();

    // The letters of these words are shortcuts of the builder when no field has the focus.
    await page.getByRole("treeitem", { name: /^Leaves \/$/ }).click();
    await side.getByRole("heading", { name: "Page" }).waitFor();
    await type("Title Required", "Pin");
    await saved.waitFor();
    const { body } = await owner(`GET /api/v1/apps/${appId()}`);
    expect([body.data.pages[0].title, body.data.status]).toEqual(["Pin", "active"]);
    expect((await owner(`GET /api/v1/apps/${appId()}/deployments`)).body.data).toEqual([]);
  });
});
