import { ARTICLE_VISIBILITY } from "@millrace/client/enums";
import type { DraftOf, Form } from "../../data/form/use-form.ts";
import { PersonField } from "../../data/options/search-field.tsx";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { DateField } from "../../ui/form/date-time-field.tsx";
import { ListField } from "../../ui/form/list-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";

const READERS = choicesOf(ARTICLE_VISIBILITY, {
  everyone: "Everyone",
  agents: "Knowledge authors",
});
const DAY_CHARACTERS = 10;

type DetailsForm = Form<DraftOf<"knowledge.update" | "knowledge.create">>;

/** The details of an article: category, audience and owner. */
export function DraftDetails({ form }: { readonly form: DetailsForm }) {
  const due = form.field("reviewDueAt");
  return (
    <div className="kb-details">
      <TextField
        {...form.field("summary")}
        label="Summary"
        help="One sentence, shown in search results."
      />
      <TextField {...form.field("category")} />
      <ListField
        {...form.field("tags")}
        help="Separated by commas. Example: vpn, network"
        parse={splitTags}
        joint=", "
      />
      <SelectField {...form.field("visibility")} label="Visible to" isRequired options={READERS} />
      <PersonField {...form.field("authorId")} label="Owner" placeholder="You" isRequired />
      <PersonField {...form.field("reviewerId")} placeholder="Any author" />
      <DateField
        {...due}
        label="Reviewer"
        value={due.value?.slice(0, DAY_CHARACTERS)}
        onChange={(day) => due.onChange(day ? `${day}T00:00:00.000Z` : null)}
      />
    </div>
  );
}

function splitTags(text: string): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
