import { Field } from "../../ui/field.tsx";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import type { ArticleDraft } from "./use-article-draft.ts";
import { Select, TextInput } from "../../ui/form/controls.tsx";

const DAY_CHARACTERS = 10;

interface DraftDetailsProps {
  readonly draft: ArticleDraft;
  readonly onChange: (change: Partial<ArticleDraft>) => void;
}

/** What is said of an article beside its text: where it belongs, who sees it, who cares for it. */
export function DraftDetails({ draft, onChange }: DraftDetailsProps) {
  return (
    <div className="kb-details">
      <Field label="In one sentence" help="Shown where it is found" isOptional>
        {(attributes) => (
          <TextInput
            {...attributes}
            maxLength={1_000}
            value={draft.summary}
            onChange={({ target }) => onChange({ summary: target.value })}
          />
        )}
      </Field>
      <Field label="Category" isOptional>
        {(attributes) => (
          <TextInput
            {...attributes}
            maxLength={100}
            value={draft.category ?? ""}
            onChange={({ target }) => onChange({ category: target.value || null })}
          />
        )}
      </Field>
      <Field label="Tags" help="With commas between" isOptional>
        {(attributes) => (
          <TextInput
            {...attributes}
            defaultValue={draft.tags.join(", ")}
            onChange={({ target }) => onChange({ tags: splitTags(target.value) })}
          />
        )}
      </Field>
      <Field label="Who sees it">
        {(attributes) => (
          <Select
            {...attributes}
            value={draft.visibility}
            onChange={({ target }) =>
              onChange({ visibility: target.value === "agents" ? "agents" : "everyone" })
            }
          >
            <option value="everyone">Everyone</option>
            <option value="agents">Those who write articles</option>
          </Select>
        )}
      </Field>
      <Field label="Owner">
        {({ id }) => (
          <PersonCombobox
            id={id}
            label="Owner"
            value={draft.authorId}
            placeholder="You"
            onChange={(authorId) => onChange({ authorId })}
          />
        )}
      </Field>
      <Field label="Reviewer" isOptional>
        {({ id }) => (
          <PersonCombobox
            id={id}
            label="Reviewer"
            value={draft.reviewerId ?? undefined}
            placeholder="Anybody"
            onChange={(reviewerId) => onChange({ reviewerId: reviewerId ?? null })}
          />
        )}
      </Field>
      <Field label="To be reviewed by" isOptional>
        {(attributes) => (
          <TextInput
            {...attributes}
            type="date"
            value={draft.reviewDueAt?.slice(0, DAY_CHARACTERS) ?? ""}
            onChange={({ target }) =>
              onChange({
                reviewDueAt: target.value === "" ? null : `${target.value}T00:00:00.000Z`,
              })
            }
          />
        )}
      </Field>
    </div>
  );
}

function splitTags(text: string): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
