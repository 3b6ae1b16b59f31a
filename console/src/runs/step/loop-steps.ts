/** Loads loop steps on demand: by item, item range or status. */
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { cache, call, type Input } from "../../data/api.ts";
import type { RunStep } from "../../workflows/index.ts";

const PAGE_STEPS = 200;
/** For one item with its nested loops, or for a range of items. */
const STEPS_MAX = 2_000;
/** The number of items loaded together. */
export const STRETCH_ITEMS = 50;
const REFRESH_MS = 1_000;
const NO_STEPS: readonly RunStep[] = [];

type StepQuery = NonNullable<Input<"runs.steps">["query"]>;

const keyOf = (runId: string, query: StepQuery) =>
  ["runs.steps", { params: { runId }, query, every: STEPS_MAX }] as const;

async function readAll(runId: string, query: StepQuery, signal: AbortSignal) {
  const steps: RunStep[] = [];
  let after: string | null = null;
  do {
    const page: StepQuery = { ...query, limit: PAGE_STEPS, ...(after !== null && { after }) };
    const reply = await call("runs.steps", { params: { runId }, query: page }, { signal });
    steps.push(...reply.data);
    after = reply.pagination.nextCursor;
  } while (after !== null && steps.length < STEPS_MAX);
  return steps;
}

const allOf = (runId: string, query: StepQuery) => ({
  queryKey: keyOf(runId, query),
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => readAll(runId, query, signal),
});

/** Returns the steps in these items, such as `each[3]`, including nested loops. */
export function useItemSteps(runId: string, items: readonly string[]): readonly RunStep[] {
  return useQueries({
    queries: items.map((item) => allOf(runId, { item })),
    combine: combineSteps,
  });
}

/** Returns the first step of a node with a status, which represents all of them. */
export function useNodeStep(runId: string, node: string | undefined, status: string) {
  const query: StepQuery = { node: node ?? "", status, limit: 1 };
  const { data } = useQuery({
    queryKey: ["runs.steps", { params: { runId }, query }],
    queryFn: ({ signal }) => call("runs.steps", { params: { runId }, query }, { signal }),
    enabled: node !== undefined,
  });
  return node === undefined ? undefined : data?.data[0];
}

/** Loads steps with a status, page by page. */
export function useStepPages(runId: string, query: StepQuery | undefined) {
  const asked = { ...query, limit: PAGE_STEPS };
  const { data, hasNextPage, isFetching, fetchNextPage, error } = useInfiniteQuery({
    queryKey: ["runs.steps", { params: { runId }, query: asked, pages: true }],
    queryFn: ({ signal, pageParam }) =>
      call(
        "runs.steps",
        { params: { runId }, query: { ...asked, ...(pageParam !== null && { after: pageParam }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    enabled: query !== undefined,
    placeholderData: keepPreviousData,
  });
  const steps = useMemo(() => data?.pages.flatMap((page) => page.data) ?? NO_STEPS, [data]);
  const readMore = (): void => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  };
  return { steps: query === undefined ? NO_STEPS : steps, hasMore: hasNextPage, readMore, error };
}

/** A range of a loop's items: the path of the loop and the first index. */
export interface Stretch {
  readonly loop: string;
  readonly first: number;
}

/** Returns the steps directly in the items of these ranges. */
export function useStretches(runId: string, stretches: readonly Stretch[]): readonly RunStep[] {
  return useQueries({
    queries: stretches.map(({ loop, first }) => ({
      ...allOf(runId, { item: `${loop}[${first}-${first + STRETCH_ITEMS - 1}]`, deep: false }),
      placeholderData: undefined,
    })),
    combine: combineSteps,
  });
}

const combineSteps = (results: readonly { readonly data: readonly RunStep[] | undefined }[]) =>
  results.flatMap(({ data }) => data ?? NO_STEPS);

const refreshes = new Map<string, ReturnType<typeof setTimeout>>();

/** Reloads the visible items of a run, at most once per second; a running request is not cancelled. */
export function refreshItems(runId: string): void {
  if (refreshes.has(runId)) return;
  const refresh = (): void => {
    refreshes.delete(runId);
    void cache.invalidateQueries(
      { queryKey: ["runs.steps", { params: { runId } }] },
      { cancelRefetch: false },
    );
  };
  refreshes.set(runId, setTimeout(refresh, REFRESH_MS));
}
