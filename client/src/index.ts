export * from "./artifact.ts";
export {
  ApiError,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  makeKey,
  pagesOf,
} from "./client.ts";
export { type Operations, ROUTES, type Schemas } from "./operations.ts";
