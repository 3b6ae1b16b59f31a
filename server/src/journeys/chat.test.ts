import { expect, test } from "vitest";
import { useModelService } from "#domains/agents/testing/model-service.ts";
import { slowModel } from "#domains/agents/testing/slow-model.ts";
import { createConnector } from "#domains/connectors/testing/connector.ts";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

const service = await useModelService();

describeInBrowser("the designer of a chat", () => {
  const at = useConsole({ env: service.upstream.env });

  test("the preview streams model text and shows files", async () => {
    const owner = await at.world.member(["owner"]);
    const url = { baseUrl: `${service.upstream.url}/v1` };
    const { id: connectorId } = await createConnector(owner, "openai", url, { kind: "none" });
    const model = { connectorId, model: "gpt-4.1-mini", prompt: "{{ trigger.input.message }}" };
    const said = { text: "{{ steps.ask.output.text }}" };
    const file = { as: "csv", name: "list.csv", data: [{ a: 1 }] };
    const nodes = [
      { id: "ask", type: "llm", config: model },
      { id: "write", type: "file.write", config: file },
      {
        id: "say",
        type: "respond",
        config: { body: { ...said, files: ["{{ steps.write.output }}"] } },
      },
    ];
    const trigger = { type: "chat", title: "Helper", stream: "ask" };
    const id = await deployWorkflow(owner, nodes, { trigger });
    const slow = slowModel();
    service.say(slow.answer);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows/${id}?step=*`);
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByRole("textbox", { name: "Message" }).fill("Hi");
    await page.keyboard.press("Enter");
    await slow.asked();
    slow.say("Once upon");
    await preview.getByText("Once upon").waitFor();
    const log = preview.getByRole("log");
    expect(await log.innerText()).not.toContain("Once");
    slow.say(" a time");
    slow.end();
    await log.getByText("Once upon a time").waitFor();
    const link = log.getByRole("link", { name: "list.csv" });
    const opened = await at.world.stranger(`GET ${await link.getAttribute("href")}`);
    expect([opened.status, String(opened.body)]).toEqual([200, expect.stringContaining("1")]);
    await expectSound(visitor);
  });
});
