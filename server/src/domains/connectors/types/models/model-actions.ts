/** The common parts of connectors for language models. */
import Type, { type Static, type TObject } from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import type { UpstreamConnection } from "../../upstream/connection.ts";
import {
  type AddressSchema,
  ConfigHeaders,
  headerErrors,
  urlErrors,
} from "../../upstream/target.ts";
import { UpstreamError } from "../../upstream/upstream-error.ts";
import { action } from "../connector-type.ts";
import { ChatInput, fieldsOf, listOf, type RawAnswer } from "./chat.ts";
import { Prices, withCost } from "./prices.ts";
import { notDestination } from "../../destination-mark.ts";

const limits = {
  timeoutMs: notDestination(
    Type.Integer({
      minimum: 100,
      maximum: 900_000,
      default: 180_000,
      description: "Timeout of a response, including retries",
    }),
  ),
  retries: notDestination(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 0,
      description: "Number of retries for calls that were not sent. Steps retry other failures",
    }),
  ),
};

/** The settings of all model connectors; their time limits are longer, because models are slow. */
export const modelConfig = (baseUrl: ReturnType<typeof AddressSchema>) => ({
  baseUrl: Type.Optional(baseUrl),
  headers: Type.Optional(ConfigHeaders),
  prices: Type.Optional(notDestination(Prices)),
  ...limits,
});
type ModelConfig = Static<TObject<ReturnType<typeof modelConfig>>>;

/** The API of a model service. */
interface ModelService<Config> {
  readonly api: string;
  readonly ask: (connection: UpstreamConnection<Config>, input: ChatInput) => Promise<RawAnswer>;
  readonly listModels: (connection: UpstreamConnection<Config>) => Promise<string[]>;
}

/**
 * The parts of every model service: the chat action, the list of models, and the connection test, which lists
 * models.
 */
export function modelParts<Config extends ModelConfig>({
  api,
  ask,
  listModels,
}: ModelService<Config>) {
  return {
    chat: action<Config, typeof ChatInput>({
      name: "chat",
      summary: "Sends a prompt to a model. Returns its text, its tool calls and its token usage",
      input: ChatInput,
      run: async (connection, input) =>
        withCost(await ask(connection, input), input.model, connection.config.prices),
    }),
    models: action<Config, typeof ModelsInput>({
      name: "models",
      summary: "Lists the available models",
      input: ModelsInput,
      run: async (connection) => ({ models: await listModels(connection) }),
    }),
    check: (platform: PlatformServices, { baseUrl = api, headers }: Config) => [
      ...urlErrors(platform, "/config/baseUrl", baseUrl),
      ...headerErrors("/config/headers", headers),
    ],
    test: async (connection: UpstreamConnection<Config>) => {
      await listModels(connection);
      return { status: 200 };
    },
  };
}

const TEXTS_MAX = 256;

/** The input of `embed`. */
export const EmbedInput = object({
  model: line(300),
  texts: Type.Array(text(100_000), { minItems: 1, maxItems: TEXTS_MAX }),
  dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_000 })),
});

const ModelsInput = object({});

/** Reads the vectors of a response, one per text. */
export function toVectors(
  rows: readonly unknown[],
  field: string,
  count: number,
): readonly (readonly number[])[] {
  const vectors = rows.map((row) => listOf(fieldsOf(row)[field]).map(Number));
  const isSound = vectors.every((vector) => vector.length > 0 && vector.every(Number.isFinite));
  if (vectors.length === count && isSound) return vectors;
  throw new UpstreamError("The model provider did not return a vector for each text.");
}
