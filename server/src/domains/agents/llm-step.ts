import { executor, StepFailure } from "#domains/runs/index.ts";
import { llm } from "#domains/workflows/index.ts";
import { askModel } from "./ask-model.ts";
import { askInChunks } from "./ask-in-chunks.ts";
import { toPromptText, toUserMessage } from "./prompt.ts";

const REPAIRS_DEFAULT = 2;

/** The step that asks a model, and retries while the answer does not match its schema. */
export const llmStep = executor({
  type: llm,
  async run(config, tools) {
    const { connectorId, model, system, prompt, messages = [], files, chunks, schema } = config;
    const { temperature, maxTokens, repair = REPAIRS_DEFAULT, stream = true } = config;
    const ask = chunks ? askInChunks(chunks, toPromptText(prompt)) : askModel;
    const answer = await ask(tools, {
      connectorId,
      stream,
      repair,
      input: {
        model,
        ...(system !== undefined && { system }),
        messages: [
          ...messages,
          ...(prompt === undefined && files === undefined
            ? []
            : [await toUserMessage(tools, prompt, files)]),
        ],
        ...(schema && { schema }),
        ...(temperature !== undefined && { temperature }),
        ...(maxTokens !== undefined && { maxTokens }),
      },
    });
    if (answer.finish === "filtered" && answer.text === "") {
      throw new StepFailure("llm_refused", "The model provider blocked the response.", {
        retryable: false,
      });
    }
    const { text, object, usage, cost, finish } = answer;
    return {
      output: {
        text,
        ...("object" in answer && { object }),
        usage,
        cost,
        model: answer.model,
        finish,
      },
    };
  },
});
