/** The web application: receives uploads and stores them. */
package uploadlab.webapp;
