/** The functions of expressions for completion: their arguments and a line about the result. */
export interface FunctionSignature {
  readonly name: string;
  readonly signature: string;
  readonly summary: string;
}

const TABLE = `
sum(numbers) | the sum
count(list) | how many there are
max(numbers) | the largest
min(numbers) | the smallest
average(numbers) | the mean
string(value, pretty?) | the value as text, JSON where it is no text
substring(text, start, length?) | a part of a text
substringBefore(text, characters) | the part before these characters
substringAfter(text, characters) | the part after these characters
lowercase(text) | in lower case
uppercase(text) | in upper case
length(text) | how many characters
trim(text) | without spaces at either end
pad(text, width, character?) | filled up to a width; a negative one fills on the left
match(text, pattern, limit?) | the matches of a regular expression
contains(text, pattern) | true when it is in there
replace(text, pattern, replacement, limit?) | with each match replaced
split(text, separator, limit?) | a list of parts
join(texts, separator?) | one text of many
formatNumber(number, picture, options?) | a number by a picture such as "#,##0.00"
formatBase(number, radix?) | a number in another base
formatInteger(number, picture) | a whole number by a picture such as "w" or "I"
parseInteger(text, picture) | a whole number read by a picture
number(value) | a text or boolean as a number
floor(number) | rounded down
ceil(number) | rounded up
round(number, digits?) | rounded to even
abs(number) | without its sign
sqrt(number) | the square root
power(base, exponent) | a power
random() | a number from 0 up to 1
boolean(value) | true unless it is empty, zero or nothing
not(value) | the opposite of $boolean
map(list, function) | each member, changed
zip(list, list, …) | members that stand at the same place, together
filter(list, function) | the members for which it is true
single(list, function?) | the only member for which it is true
reduce(list, function, start?) | one value of a list
sift(object, function) | the fields for which it is true
keys(object) | the names of its fields
lookup(object, name) | the field of this name
append(list, list) | two lists as one
exists(value) | true when there is a value
spread(object) | a list of objects with one field each
merge(objects) | one object of many
reverse(list) | in the opposite order
each(object, function) | a list of what the function makes of each field
error(message) | fails with this message
assert(condition, message) | fails unless it is true
type(value) | "string", "number", "object" and so on
sort(list, function?) | in order
shuffle(list) | in random order
distinct(list) | each member once
base64encode(text) | as base64
base64decode(text) | of base64
encodeUrlComponent(text) | for a part of an address
decodeUrlComponent(text) | of a part of an address
encodeUrl(text) | for a whole address
decodeUrl(text) | of a whole address
now(picture?, timezone?) | the time of the evaluation, in ISO 8601
millis() | the same in milliseconds since 1970
fromMillis(number, picture?, timezone?) | a time of milliseconds
toMillis(text, picture?) | milliseconds of a time
clone(value) | a copy
`;

/** All functions that expressions can call, in the order of the JSONata documentation. */
export const functionSignatures: readonly FunctionSignature[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [call = "", summary = ""] = line.split(" | ");
    return { name: `$${call.slice(0, call.indexOf("("))}`, signature: `$${call}`, summary };
  });
