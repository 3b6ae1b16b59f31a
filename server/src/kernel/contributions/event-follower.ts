/** Followers of a topic: each domain tells of its own, so that somebody who publishes sees what will come of it. */
import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** A topic with the types of its events. */
export interface FollowedTopic {
  readonly name: string;
  /** The name, and that of the topic of all platform events for those. */
  readonly names: readonly string[];
  readonly types: readonly string[];
}

export interface EventFollower {
  readonly id: string;
  readonly name: string;
  /** Patterns of types, or the types that it hears of this topic. */
  readonly hears: readonly string[];
  readonly status: string;
  /** Events or deliveries that wait for it; null where nothing is counted. */
  readonly behind: number | null;
}

export interface EventFollowerSource {
  readonly kind: string;
  readonly permission: Permission;
  readonly list: (ctx: ReadContext, topic: FollowedTopic) => Promise<readonly EventFollower[]>;
}

export const EventFollowerPoint = extensionPoint<EventFollowerSource>("kernel.event_followers");
