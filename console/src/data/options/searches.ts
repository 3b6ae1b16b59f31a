/** What fields offer: people, teams, workflows, contacts, configuration items. */
import { useOp } from "../api.ts";
import { useMay } from "../people.ts";
import { NOT_ANSWERED, type SearchedOptions, useOptionSearch } from "./option-search.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

const toNamed = ({ id, name }: Named) => ({ value: id, label: name });
const toPerson = ({ id, name, email }: Named & { readonly email: string }) => ({
  value: id,
  label: name,
  about: email,
});
const toContact = ({
  id,
  name,
  address,
  phone,
}: Named & { readonly address: string | null; readonly phone: string | null }) => ({
  value: id,
  label: name,
  about: address ?? phone ?? "",
  group: "Contact",
});
const toItem = ({ id, name, class: kind }: Named & { readonly class: string }) => ({
  value: id,
  label: name,
  group: kind.replaceAll("_", " "),
});

const ACTIVE = { status: "active" };

/** The active members of the workspace. */
export const usePeopleSearch = (): SearchedOptions =>
  useOptionSearch("users.list", toPerson, { query: ACTIVE, isAllowed: useMay()("users:read") });

/** Members, also those who are active no more: what is looked for is of the past. */
export const useEverybodySearch = (): SearchedOptions =>
  useOptionSearch("users.list", toPerson, { isAllowed: useMay()("users:read") });

export const useTeamSearch = (): SearchedOptions =>
  useOptionSearch("teams.list", toNamed, { isAllowed: useMay()("desk:read") });

export const useContactSearch = (): SearchedOptions =>
  useOptionSearch("contacts.list", toContact, { isAllowed: useMay()("contacts:read") });

export const useWorkflowSearch = (): SearchedOptions =>
  useOptionSearch("workflows.list", toNamed, { isAllowed: useMay()("workflows:read") });

export const useItemSearch = (): SearchedOptions =>
  useOptionSearch("cmdb.list_items", toItem, { isAllowed: useMay()("cmdb:read") });

/** The name of a workflow, which may not be on the page that is found. */
export function useWorkflowName(id: string | undefined): string | undefined {
  const enabled = useMay()("workflows:read") && id !== undefined && /^wf_\w+$/.test(id);
  return useOp("workflows.list", { query: { ids: id ?? "", limit: 1 } }, { enabled }).data?.data[0]
    ?.name;
}

/** Options of two kinds in one list; those of the first come first. */
export function joinSearches(one: SearchedOptions, other: SearchedOptions): SearchedOptions {
  const [a, b] = [one.search, other.search];
  return {
    options: [...one.options, ...other.options],
    search: {
      words: a.words === b.words ? a.words : NOT_ANSWERED,
      onWords: (words) => {
        a.onWords(words);
        b.onWords(words);
      },
      isLoading: a.isLoading || b.isLoading,
      problem: a.problem ?? b.problem,
      hasMore: a.hasMore || b.hasMore,
    },
  };
}
