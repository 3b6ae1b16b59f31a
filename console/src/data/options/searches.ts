/** Search functions for people, teams, workflows, contacts and configuration items. */
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
const toFormer = ({ id, name, email }: Named & { readonly email: string }) => ({
  value: id,
  label: name,
  about: email === "" ? "left" : `${email}, former member`,
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
  useOptionSearch("users.list", toPerson, { query: ACTIVE });

/** Searches members, including deactivated and former ones, for filters on past actions. */
export function useEverybodySearch(): SearchedOptions {
  const may = useMay();
  const members = useOptionSearch("users.list", toPerson);
  const former = useOptionSearch("audit.list_former_members", toFormer);
  const both = joinSearches(members, former);
  return may("audit.list_former_members") ? both : members;
}

export const useTeamSearch = (): SearchedOptions => useOptionSearch("teams.list", toNamed);

export const useContactSearch = (): SearchedOptions => useOptionSearch("contacts.list", toContact);

export const useWorkflowSearch = (): SearchedOptions => useOptionSearch("workflows.list", toNamed);

export const useItemSearch = (): SearchedOptions => useOptionSearch("cmdb.list_items", toItem);

/** Returns a workflow's name, even if not in the search results. */
export function useWorkflowName(id: string | undefined): string | undefined {
  const enabled = useMay()("workflows.list") && id !== undefined && /^wf_\w+$/.test(id);
  return useOp("workflows.list", { query: { ids: id ?? "", limit: 1 } }, { enabled }).data?.data[0]
    ?.name;
}

/** Combines two option lists. The first list is shown first. */
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
