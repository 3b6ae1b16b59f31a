import { notify, publishEvent } from "./acting.ts";
import { http } from "./http.ts";
import { condition, fail, loop, respond, set, switchNode, transform } from "./pure.ts";
import { subworkflow } from "./subworkflow.ts";
import { approval, delay, waitForEvent } from "./waiting.ts";

/** The node types that need no other domain. */
export const ownExecutors = [
  set,
  condition,
  switchNode,
  transform,
  loop,
  respond,
  fail,
  http,
  delay,
  waitForEvent,
  approval,
  subworkflow,
  publishEvent,
  notify,
];
