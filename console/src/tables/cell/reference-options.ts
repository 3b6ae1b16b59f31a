import { useMemo, useState } from "react";
import { useOp } from "../../data/api.ts";
import { NOT_ANSWERED, type SearchedOptions } from "../../data/options/option-search.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { nameIn } from "../column/value.ts";
import type { ChoiceOption } from "./choice-option.ts";

const PAUSE_MS = 150;
const SHOWN = 50;

/** Searches the records or people that a reference can point to. */
export function useReferenceOptions(target: string, words: string) {
  const q = useDebounced(words.trim(), PAUSE_MS);
  const isPeople = target === "users";
  const people = useOp(
    "users.list",
    { query: { limit: SHOWN, ...(q !== "" && { q }) } },
    { enabled: isPeople },
  );
  const records = useOp(
    "records.list",
    { params: { slug: target }, query: { limit: SHOWN, ...(q !== "" && { q }) } },
    { enabled: !isPeople && target !== "" },
  );
  const { data, isFetching, isPlaceholderData, error } = isPeople ? people : records;
  const options = useMemo((): readonly ChoiceOption[] => {
    const found = (data?.data ?? []) as readonly { readonly id: string }[];
    return found.map((one) => ({
      value: one.id,
      label: nameIn(one) ?? one.id,
      about: aboutOf(one),
    }));
  }, [data]);
  const isAnswered = data !== undefined && !isPlaceholderData && q === words.trim();
  return { options, isLoading: isFetching, isAnswered, error };
}

/** Options of a combobox that reports its search text. */
export function useReferenceSearch(target: string): SearchedOptions {
  const [typed, setTyped] = useState<string>();
  const { options, isLoading, isAnswered, error } = useReferenceOptions(target, typed ?? "");
  return {
    options,
    search: {
      words: isAnswered ? (typed ?? "") : NOT_ANSWERED,
      onWords: setTyped,
      isLoading,
      problem: error ? `Some names could not be looked up: ${error.message}` : undefined,
      hasMore: options.length >= SHOWN,
    },
  };
}

/** Returns a second text of a record, to distinguish records with the same name. */
function aboutOf(record: object): string | undefined {
  const texts = Object.entries(record).filter(
    ([name, value]) => !PASSED.has(name) && typeof value === "string" && value !== "",
  );
  return texts[1]?.[1] as string | undefined;
}

const PASSED = new Set(["id", "createdAt", "updatedAt", "createdBy"]);
