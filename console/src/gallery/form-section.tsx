import { useState } from "react";
import {
  type FieldError,
  findMissing,
  Form,
  initialValue,
  type Schema,
  toSendable,
} from "../form/index.ts";
import { Json } from "../ui/json/json.tsx";
import { Sample } from "./sample.tsx";
import { Button } from "../ui/form/button.tsx";

const EACH_KIND: Schema = {
  type: "object",
  required: ["name", "size", "auth"],
  $defs: { money: { type: "number", minimum: 0, "x-unit": "€" } },
  properties: {
    name: {
      type: "string",
      title: "Text",
      description: "With help text and `code`",
      minLength: 3,
    },
    about: { type: "string", title: "Long text", "x-multiline": true },
    size: { title: "Few options", enum: ["small", "medium", "large"] },
    country: {
      title: "Many options",
      enum: ["Austria", "Belgium", "Denmark", "Finland", "France", "Germany", "Italy", "Norway"],
    },
    speed: {
      title: "With descriptions",
      oneOf: [
        { const: "slow", title: "Low priority", description: "Handled during business hours" },
        { const: "fast", title: "Urgent", description: "Pages the member on call" },
      ],
    },
    price: { $ref: "#/$defs/money", title: "Number, by reference" },
    count: { type: "integer", title: "Whole number", minimum: 1, maximum: 50, default: 1 },
    day: { type: "string", title: "Date", format: "date" },
    at: { type: "string", title: "Date and time", format: "date-time" },
    mail: { type: "string", title: "E-mail", format: "email", "x-placeholder": "ada@example.com" },
    secret: { type: "string", title: "Secret", writeOnly: true },
    agree: { type: "boolean", title: "Checkbox" },
    tags: { type: "array", title: "Multiple choice", items: { enum: ["red", "green", "blue"] } },
    words: { type: "array", title: "Text list", items: { type: "string" } },
    people: {
      type: "array",
      title: "Object list",
      items: {
        type: "object",
        title: "Person",
        required: ["name"],
        properties: { name: { type: "string" }, age: { type: "integer" } },
      },
    },
    auth: {
      title: "One of several types",
      oneOf: [
        {
          type: "object",
          title: "None",
          required: ["kind"],
          properties: { kind: { const: "none" } },
        },
        {
          type: "object",
          title: "Password",
          required: ["kind", "user", "password"],
          properties: {
            kind: { const: "basic" },
            user: { type: "string" },
            password: { type: "string", writeOnly: true },
          },
        },
      ],
    },
    headers: {
      type: "object",
      title: "Key-value pairs",
      additionalProperties: { type: "string" },
    },
    place: {
      type: "object",
      title: "Nested object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
    file: { type: "string", title: "File", "x-file": true },
    free: { title: "Any JSON value" },
  },
  if: { properties: { size: { const: "large" } }, required: ["size"] },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
  then: { required: ["about"] },
  else: { properties: { day: false } },
};

const SERVER_ERRORS: readonly FieldError[] = [
  { path: "/people/0/age", message: "must be at least 18" },
  { path: "/headers/X-Trace", message: "must not have more than 200 characters" },
];

type Size = "dense" | "calm";

export function FormSection() {
  const [value, setValue] = useState<unknown>(() => ({
    ...(initialValue(EACH_KIND) as object),
    people: [{ name: "Ada" }],
    words: ["one"],
    headers: { "X-Trace": "1" },
  }));
  const [size, setSize] = useState<Size>("dense");
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [isDisabled, setDisabled] = useState(false);
  const showErrors = (): void => setErrors([...findMissing(EACH_KIND, value), ...SERVER_ERRORS]);
  return (
    <>
      <Sample
        title="Form from JSON Schema"
        about="“Large” requires the long text and shows the date. The conditions are part of the schema."
        isWide
      >
        <div className="sample-row">
          {(["dense", "calm"] as const).map((one) => (
            <Button key={one} aria-pressed={size === one} onClick={() => setSize(one)}>
              {one === "dense" ? "Dense" : "Calm"}
            </Button>
          ))}
          <Button onClick={showErrors}>Show errors</Button>
          <Button onClick={() => setErrors([])}>No errors</Button>
          <Button aria-pressed={isDisabled} onClick={() => setDisabled(!isDisabled)}>
            Disabled
          </Button>
        </div>
        <div className="gallery-form">
          <Form
            schema={EACH_KIND}
            value={value}
            errors={errors}
            isDense={size === "dense"}
            isDisabled={isDisabled}
            onChange={setValue}
          />
          <div>
            <h3>Request body</h3>
            <Json value={toSendable(EACH_KIND, value)} label="Request body" />
          </div>
        </div>
      </Sample>
    </>
  );
}
