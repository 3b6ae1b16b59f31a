export * from "./artifact.ts";
export {
  ApiError,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  pagesOf,
} from "./client.ts";
export type { Operations, Schemas } from "./operations.ts";
