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
export {
  eventKindsOf,
  isAllowed,
  isForOwners,
  isOfAccount,
  isOperationId,
  listRoutes,
  type OperationId,
  permissionOf,
  routeOf,
} from "./contract.ts";
export type { Operations, Permission, Schemas } from "./operations.ts";
