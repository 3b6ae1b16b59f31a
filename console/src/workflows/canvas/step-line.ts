/** A short description of a step: the second line of its card when no run is shown. */
import { count, toDuration } from "../../ui/words.ts";
import { bodyOf, type Step, walkSteps } from "../graph/graph.ts";
import { kindOf } from "./step-kinds.ts";

const SHOWN_MAX = 60;

export function describeStep(step: Step): string {
  const body = bodyOf(step);
  if (body) return `${count([...walkSteps(body)].length, "step")} inside`;
  const words = wordsOf(step).replaceAll(/\s+/g, " ").trim();
  const line = words === "" ? kindOf(step.type).title.toLowerCase() : words.slice(0, SHOWN_MAX);
  return step.forEach ? `loop: ${line}` : line;
}

function wordsOf({ type, config = {} }: Step): string {
  const text = (name: string): string => {
    const value = config[name];
    return typeof value === "string" ? value : "";
  };
  switch (type) {
    case "condition":
    case "switch":
    case "transform":
      return text("expression");
    case "http":
      return [text("method"), text("url").replace(/^https?:\/\//, "")].join(" ");
    case "set":
      return Object.keys((config["values"] ?? {}) as object).join(", ");
    case "approval":
      return `by ${((config["approvers"] ?? []) as readonly unknown[]).map(String).join(", ")}`;
    case "delay":
      return typeof config["ms"] === "number" ? `for ${toDuration(config["ms"])}` : "";
    case "records":
      return [text("operation"), text("table")].join(" ");
    case "ticket":
      return [text("operation"), text("kind")].join(" ");
    case "connector":
      return text("action");
    case "publish_event":
      return text("type");
    case "wait_for_event":
      return text("eventType") || text("topic");
    case "notify":
      return text("title");
    case "fail":
      return text("message");
    default:
      return "";
  }
}
