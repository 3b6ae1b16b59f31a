import type { ServerResponse } from "node:http";
import { until } from "#kernel/testing/world.ts";
import { openaiEvents } from "./model-service.ts";

/** A model that sends its response when the test tells it to. */
export function slowModel() {
  let response: ServerResponse | undefined;
  const frames = (text: string): string[] => openaiEvents({ text }).split(/(?<=\n\n)/);
  const delta = (text: string) => frames(text).filter((frame) => frame.includes('"content":"'));
  return {
    answer: (given: ServerResponse) => {
      response = given;
      given.writeHead(200, { "content-type": "text/event-stream" });
      given.flushHeaders();
    },
    asked: () => until(async () => response !== undefined),
    say: (text: string) => response?.write(delta(text).join("")),
    end: () => response?.end(frames("").join("")),
    breakOff: () => {
      response?.destroy();
      response = undefined;
    },
  };
}
