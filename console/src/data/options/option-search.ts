/** Options that the server searches while the user types, because there may be too many to load. */
import { useMemo, useState } from "react";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import type { ComboOption, OptionSearch } from "../../ui/overlay/options.tsx";
import { type Input, type OperationId, type Reply, useOp } from "../api.ts";
import { useRefusal } from "../people.ts";

const PAUSE_MS = 150;
const FOUND_MAX = 30;

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor?: string | null };
}

type ListId = { [O in OperationId]: Reply<O> extends Page ? O : never }[OperationId];
type ItemOf<R> = R extends { readonly data: readonly (infer I)[] } ? I : never;

export interface SearchedOptions {
  readonly options: readonly ComboOption[];
  readonly search: OptionSearch;
}

interface SearchQuery {
  readonly query?: object;
  /** The operation that the user must be allowed to use, if it is not the searching one. */
  readonly right?: OperationId;
}

/**
 * Searches options with an operation that accepts `q`. Requests start when the list opens. `toOption` must be
 * stable.
 */
export function useOptionSearch<O extends ListId>(
  id: O,
  toOption: (item: ItemOf<Reply<O>>) => ComboOption,
  { query = {}, right = id }: SearchQuery = {},
): SearchedOptions {
  const refusal = useRefusal(right);
  const isAllowed = refusal === undefined;
  const [typed, setTyped] = useState<string>();
  // Opening the list is not debounced.
  const paused = useDebounced(typed, PAUSE_MS);
  const words = typed === "" || typed === undefined ? typed : (paused ?? "");
  const input = { query: { ...query, limit: FOUND_MAX, ...(words && { q: words }) } };
  const enabled = isAllowed && words !== undefined;
  const answer = useOp(id, input as unknown as Input<O>, { enabled });
  const { data, error, isFetching, isPlaceholderData, fetchStatus } = answer;
  const page = data as Page | undefined;
  const options = useMemo(
    () => ((page?.data ?? []) as readonly ItemOf<Reply<O>>[]).map(toOption),
    [page, toOption],
  );
  const isRead = page !== undefined && !isPlaceholderData && words === typed;
  return {
    options,
    search: {
      // Without permission there is no response to wait for.
      words: isRead || !isAllowed ? (typed ?? "") : NOT_ANSWERED,
      onWords: setTyped,
      isLoading: isAllowed && (isFetching || words !== typed),
      problem:
        refusal ?? (fetchStatus === "paused" ? OFFLINE : error ? describe(error) : undefined),
      hasMore: isRead && page.pagination.nextCursor != null,
    },
  };
}

/** A value that users can't type: until the server responds, the browser filters the loaded options. */
export const NOT_ANSWERED = "\0";

const OFFLINE = "You are offline. Connect to search for more.";

const describe = ({ message }: Error): string => `Search failed: ${message}`;
