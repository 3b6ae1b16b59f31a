import { Empty } from "../../ui/feedback.tsx";
import { toWords } from "../../ui/words.ts";
import { type Filter, FILTERS, type ListSearch, listTags } from "./order.ts";
import type { Listed } from "./row.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

export function Filters(props: {
  readonly show: Filter | undefined;
  readonly onShow: (show: Filter | undefined) => void;
}) {
  return (
    <div className="tabs grow" role="group" aria-label="Status">
      <PlainButton aria-pressed={props.show === undefined} onClick={() => props.onShow(undefined)}>
        All
      </PlainButton>
      {FILTERS.map((filter) => (
        <PlainButton
          key={filter}
          aria-pressed={props.show === filter}
          onClick={() => props.onShow(filter)}
        >
          {toWords(filter)}
        </PlainButton>
      ))}
    </div>
  );
}

/** Not rendered if no workflow has a tag. */
export function TagFilter(props: {
  readonly workflows: readonly Listed[];
  readonly tag: string | undefined;
  readonly onTag: (tag: string | undefined) => void;
}) {
  const { tag } = props;
  const tags = listTags(props.workflows).filter((one) => one !== tag);
  if (tags.length === 0 && tag === undefined) return null;
  return (
    <Select
      aria-label="Tag"
      value={tag ?? ""}
      onChange={(event) => props.onTag(event.target.value === "" ? undefined : event.target.value)}
    >
      <option value="">Any tag</option>
      {[...(tag === undefined ? [] : [tag]), ...tags].map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  );
}

/** The empty state of the list, with one action. */
export function NoWorkflow(props: {
  readonly isNarrowed: boolean;
  readonly refused: string | undefined;
  readonly onShow: (search: ListSearch) => void;
}) {
  if (props.isNarrowed) {
    return (
      <Empty
        title="No matching workflows"
        action={
          <Button onClick={() => props.onShow({ q: undefined, show: undefined, tag: undefined })}>
            Show all
          </Button>
        }
      />
    );
  }
  return (
    <Empty
      title="No workflows yet"
      action={
        props.refused === undefined && (
          <Button look="main" onClick={() => props.onShow({ new: "example" })}>
            Start with an example
          </Button>
        )
      }
    >
      Workflows run steps manually, on a schedule, on an event or by webhook.
    </Empty>
  );
}
