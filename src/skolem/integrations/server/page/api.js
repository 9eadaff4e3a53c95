// Questions to the server.

export class Refused extends Error {
  constructor(answer) {
    super(answer.message || "the server did not answer");
    this.answer = answer;
  }
}

export async function ask(operation, parameters, signal) {
  let response;
  try {
    response = await fetch(`/api/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(parameters),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ message: "The server cannot be reached." });
  }
  return read(response);
}

export async function get(name) {
  return read(await fetch(`/api/${name}`));
}

async function read(response) {
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Refused({ message: `The server answered with status ${response.status}.` });
  }
  if (!response.ok) throw new Refused(answer);
  return answer;
}
