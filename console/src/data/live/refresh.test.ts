import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { Refresh } from "./refresh.ts";

test("a slow list finishes loading despite many events, and is reloaded once after the last one", async () => {
  const cache = new QueryClient();
  const refresh = new Refresh(cache);
  const answers: PromiseWithResolvers<string>[] = [];
  const signals: AbortSignal[] = [];
  const observer = new QueryObserver(cache, {
    queryKey: ["slow"],
    queryFn({ signal }) {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      signals.push(signal);
      return answer.promise;
    },
  });
  const seen: (string | undefined)[] = [];
  const leave = observer.subscribe(({ data }) => seen.push(data));
  for (let event = 0; event < 5; event += 1) refresh.invalidate(() => true);
  expect(answers).toHaveLength(1);
  answers[0]?.resolve("first");
  await expect.poll(() => answers.length).toBe(2);
  expect(seen).toContain("first");
  expect(signals[0]?.aborted).toBe(false);
  answers[1]?.resolve("second");
  await expect.poll(() => seen.at(-1)).toBe("second");
  expect(answers).toHaveLength(2);
  refresh.invalidate(() => true);
  expect(answers).toHaveLength(3);
  leave();
});
