/** Consumers of a topic, so that publishers see the effects of an event. Each domain lists its own consumers. */
import type { Permission } from "../access/permission.ts";
import type { ReadContext } from "../contract.ts";
import { extensionPoint } from "../extension-point.ts";

/** A topic and its event types. */
export interface FollowedTopic {
  readonly name: string;
  /** The topic name. For platform events also the name of the topic with all platform events. */
  readonly names: readonly string[];
  readonly types: readonly string[];
}

export interface EventFollower {
  readonly id: string;
  readonly name: string;
  /** Patterns of types, or the consumed types of this topic. */
  readonly hears: readonly string[];
  readonly status: string;
  /** Events or deliveries that are not processed yet. Null if they are not counted. */
  readonly behind: number | null;
}

export interface EventFollowerSource {
  readonly kind: string;
  readonly permission: Permission;
  readonly list: (ctx: ReadContext, topic: FollowedTopic) => Promise<readonly EventFollower[]>;
}

export const EventFollowerPoint = extensionPoint<EventFollowerSource>("kernel.event_followers");
