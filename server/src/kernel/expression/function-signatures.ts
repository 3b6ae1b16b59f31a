/** The functions of expressions for completion: their arguments and a line about the result. */
export interface FunctionSignature {
  readonly name: string;
  readonly signature: string;
  readonly summary: string;
}

const TABLE = `
sum(numbers) | Adds numbers
count(list) | Counts the items of a list
max(numbers) | Returns the largest number
min(numbers) | Returns the smallest number
average(numbers) | Returns the mean
string(value, pretty?) | Converts a value to a string; objects become JSON
substring(text, start, length?) | Returns a part of a string
substringBefore(text, characters) | Returns the part before these characters
substringAfter(text, characters) | Returns the part after these characters
lowercase(text) | Converts to lower case
uppercase(text) | Converts to upper case
length(text) | Counts the characters
trim(text) | Removes spaces at both ends
pad(text, width, character?) | Pads to a width; a negative width pads on the left
match(text, pattern, limit?) | Returns the matches of a regular expression
contains(text, pattern) | Returns true if the string contains the pattern
replace(text, pattern, replacement, limit?) | Replaces each match
split(text, separator, limit?) | Splits a string into a list
join(texts, separator?) | Joins strings
formatNumber(number, picture, options?) | Formats a number with a picture such as "#,##0.00"
formatBase(number, radix?) | Writes a number in another base
formatInteger(number, picture) | Formats an integer with a picture such as "w" or "I"
parseInteger(text, picture) | Parses an integer with a picture
number(value) | Converts a string or a boolean to a number
floor(number) | Rounds down
ceil(number) | Rounds up
round(number, digits?) | Rounds half to even
abs(number) | Returns the absolute value
sqrt(number) | Returns the square root
power(base, exponent) | Raises a number to a power
random() | Returns a number from 0 up to 1
boolean(value) | Returns false for empty values and zero, else true
not(value) | Returns the opposite of $boolean
map(list, function) | Applies a function to each item
zip(list, list, …) | Combines the items of several lists by position
filter(list, function) | Returns the items for which the function is true
single(list, function?) | Returns the only item for which the function is true
reduce(list, function, start?) | Combines a list into one value
sift(object, function) | Returns the fields for which the function is true
keys(object) | Returns the field names
lookup(object, name) | Returns the value of a field
append(list, list) | Joins two lists
exists(value) | Returns true if there is a value
spread(object) | Returns a list of objects with one field each
merge(objects) | Merges objects
reverse(list) | Reverses a list
each(object, function) | Applies a function to each field
error(message) | Fails with a message
assert(condition, message) | Fails if the condition is false
type(value) | Returns "string", "number", "object" and so on
sort(list, function?) | Sorts a list
shuffle(list) | Shuffles a list
distinct(list) | Removes duplicates
base64encode(text) | Encodes as base64
base64decode(text) | Decodes base64
encodeUrlComponent(text) | Encodes a part of a URL
decodeUrlComponent(text) | Decodes a part of a URL
encodeUrl(text) | Encodes a whole URL
decodeUrl(text) | Decodes a whole URL
now(picture?, timezone?) | Returns the time of the evaluation in ISO 8601
millis() | Returns the time of the evaluation in milliseconds since 1970
fromMillis(number, picture?, timezone?) | Converts milliseconds to a time
toMillis(text, picture?) | Converts a time to milliseconds
clone(value) | Copies a value
`;

/** All functions that expressions can call, in the order of the JSONata documentation. */
export const functionSignatures: readonly FunctionSignature[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [call = "", summary = ""] = line.split(" | ");
    return { name: `$${call.slice(0, call.indexOf("("))}`, signature: `$${call}`, summary };
  });
