/** Selects a ticket, searched by number, words and caller name. The value is the id. */
import { type Schemas, useOp } from "../api.ts";
import { useMay } from "../people.ts";
import { Combobox, type ComboboxProps } from "../../ui/overlay/combobox.tsx";
import { toWords } from "../../ui/words.ts";
import { useOptionSearch } from "./option-search.ts";

type Found = Pick<Schemas["TicketItem"], "id" | "number" | "title" | "state" | "caller">;

interface TicketComboboxProps extends Omit<
  ComboboxProps,
  "options" | "search" | "chosen" | "isLoading" | "label"
> {
  readonly label?: string;
  /** The offered kinds; undefined offers all. */
  readonly kinds?: readonly string[];
  /** Ids of tickets that are not offered. */
  readonly without?: readonly string[];
  readonly onlyOpen?: boolean;
}

const nameTicket = ({ number, title }: Pick<Found, "number" | "title">): string =>
  `${number} ${title}`;

const toOption = (ticket: Found) => ({
  value: ticket.id,
  label: nameTicket(ticket),
  about: [ticket.caller?.name, toWords(ticket.state)].filter(Boolean).join(" · "),
});

export function TicketCombobox(props: TicketComboboxProps) {
  const { label = "Ticket", kinds = [], without = [], onlyOpen = false, ...field } = props;
  const may = useMay()("tickets.list");
  const found = useOptionSearch("tickets.list", toOption, {
    query: {
      expand: "caller",
      ...(onlyOpen && { open: true }),
      ...(kinds.length > 0 && { kinds: kinds.join(",") }),
    },
  });
  const isChosen = may && field.value !== undefined;
  const chosen = useOp("tickets.get", { params: { id: field.value ?? "" } }, { enabled: isChosen })
    .data?.data;
  return (
    <Combobox
      {...field}
      label={label}
      options={found.options.filter(({ value }) => !without.includes(value))}
      search={found.search}
      chosen={isChosen && chosen && chosen.id === field.value ? nameTicket(chosen) : undefined}
      placeholder={field.placeholder ?? "Search by number, title or caller"}
    />
  );
}

type FoundMajor = Pick<Schemas["ListedIncident"], "id" | "number" | "title" | "state">;

const toMajorOption = (incident: FoundMajor) => ({
  value: incident.id,
  label: nameTicket(incident),
  about: toWords(incident.state),
});

const OPEN_MAJOR = {
  filter: JSON.stringify({ isMajor: true, state: { in: ["new", "in_progress", "on_hold"] } }),
};

/** Selects an open major incident. The value is the id. */
export function MajorCombobox(props: Omit<TicketComboboxProps, "kinds" | "onlyOpen">) {
  const { label = "Major incident", without = [], ...field } = props;
  const isAllowed = useMay()("incidents.list_children");
  const found = useOptionSearch("incidents.list", toMajorOption, {
    query: OPEN_MAJOR,
    right: "incidents.list_children",
  });
  const isChosen = isAllowed && field.value !== undefined;
  const chosen = useOp(
    "incidents.get",
    { params: { id: field.value ?? "" } },
    { enabled: isChosen },
  ).data?.data;
  return (
    <Combobox
      {...field}
      label={label}
      options={found.options.filter(({ value }) => !without.includes(value))}
      search={found.search}
      chosen={isChosen && chosen && chosen.id === field.value ? nameTicket(chosen) : undefined}
      placeholder={field.placeholder ?? "Search by number or title"}
    />
  );
}
