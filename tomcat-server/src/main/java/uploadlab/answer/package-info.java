/** What every part of the server tells a client when it refuses a request. */
package uploadlab.answer;
