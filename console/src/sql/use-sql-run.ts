import { useEffect, useRef, useState } from "react";
import { call } from "../data/api.ts";
import { addToHistory, type PastRun, readHistory } from "./memory.ts";
import type { Answer } from "./result/chart-data.ts";
import type { Plan } from "./result/plan-tree.ts";

export const ROWS_MAX = 10_000;
const TIMEOUT_MS = 30_000;

interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly limit: number;
}

export interface SqlRun {
  readonly answer: Answer | undefined;
  readonly plan: Plan | undefined;
  readonly error: unknown;
  /** The statement that caused the error. */
  readonly failedSql: string | undefined;
  readonly isRunning: boolean;
  readonly history: readonly PastRun[];
  readonly run: (statement: Statement) => Promise<void>;
  readonly explain: (statement: Statement) => Promise<void>;
  readonly cancel: () => void;
}

/** Runs one statement at a time; leaving the screen cancels the running one, also in the database. */
export function useSqlRun(): SqlRun {
  const [answer, setAnswer] = useState<Answer>();
  const [plan, setPlan] = useState<Plan>();
  const [failure, setFailure] = useState<{ readonly error: unknown; readonly sql: string }>();
  const [history, setHistory] = useState(readHistory);
  const [isRunning, setRunning] = useState(false);
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const attempt = async (sql: string, work: (signal: AbortSignal) => Promise<void>) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setRunning(true);
    setFailure(undefined);
    try {
      await work(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) setFailure({ error, sql });
    } finally {
      if (current.current === controller) setRunning(false);
    }
  };
  const note = (sql: string, done?: Answer): void => {
    const at = new Date().toISOString();
    setHistory(addToHistory({ sql, at, rows: done?.rowCount, durationMs: done?.durationMs }));
  };
  const run = ({ sql, params, limit }: Statement): Promise<void> =>
    attempt(sql, async (signal) => {
      const body = { sql, params: [...params], limit, timeoutMs: TIMEOUT_MS };
      try {
        const { data } = await call(
          "queries.run",
          { body: { ...body, rowMode: "array" } },
          { signal },
        );
        setAnswer(data);
        note(sql, data);
      } catch (error) {
        if (!signal.aborted) note(sql);
        throw error;
      }
    });
  const explain = ({ sql, params, limit }: Statement): Promise<void> =>
    attempt(sql, async (signal) => {
      const body = { sql, params: [...params], limit, timeoutMs: TIMEOUT_MS, run: true };
      setPlan((await call("queries.explain", { body }, { signal })).data);
    });
  const cancel = (): void => current.current?.abort();
  return {
    answer,
    plan,
    error: failure?.error,
    failedSql: failure?.sql,
    isRunning,
    history,
    run,
    explain,
    cancel,
  };
}
